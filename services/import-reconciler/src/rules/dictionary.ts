import type { DictionaryIds } from './dictionary-ids.ts';
import { Spellings } from './spellings.ts';

/** An attribute or option that the import would create. */
export interface NewAttribute {
  id: number;
  name: string;
  key: string;
}

export interface NewOption {
  id: number;
  attributeId: number;
  name: string;
}

interface UsedOption extends NewOption {
  uses: number;
}

/** An attribute as a record names it, with a value that it sets. */
export interface NamedValue {
  readonly key: string;
  readonly name: string;
  readonly value: string;
}

export interface DictionaryRow {
  attribute_id: number;
  name_key: string;
  option_id: number | null;
  option_name: string | null;
}

/**
 * The account's attributes and options while an import is planned: names become ids at once, and what is new is written only when a
 * record that uses it is really applied (rules IMPORT-LIFECYCLE-CANCEL-2 and IMPORT-ATTRIBUTES-VALUES-3). Ids of what is never written stay unused.
 */
export class Dictionary {
  // By name. Flat, since an account may have a hundred thousand attributes of one option each.
  readonly #attributes = new Map<string, number>();
  // By the id of the attribute and the value.
  readonly #options = new Map<string, number>();
  readonly #attributeOfOption = new Map<number, number>();
  readonly #newAttributes = new Map<number, { key: string; spellings: Spellings }>();
  readonly #newOptions = new Map<number, UsedOption>();
  readonly #attributeIds = new Set<number>();
  readonly #ids: DictionaryIds;

  constructor(rows: Iterable<DictionaryRow>, ids: DictionaryIds) {
    this.#ids = ids;
    for (const { attribute_id, name_key, option_id, option_name } of rows) {
      this.#attributes.set(name_key, attribute_id);
      this.#attributeIds.add(attribute_id);
      if (option_id === null || option_name === null) continue;
      this.#options.set(optionKey(attribute_id, option_name), option_id);
      this.#attributeOfOption.set(option_id, attribute_id);
    }
  }

  /** The attribute of this name, if there is one: clearing a value creates nothing. */
  attributeId(key: string): number | undefined {
    return this.#attributes.get(key);
  }

  /**
   * Returns the option for a value that a record sets, a new one if needed. Names are matched
   * loosely, values exactly (rule IMPORT-ATTRIBUTES-NAMES-1). The spelling of a new attribute is that of the first
   * applied record: give `index`, ascending, for each record that is applied.
   */
  optionId({ key, name, value }: NamedValue, index?: number): number {
    let attribute = this.#attributes.get(key);
    if (attribute === undefined) {
      attribute = this.#ids.attribute(key, (id) => this.#attributeIds.has(id));
      this.#attributes.set(key, attribute);
      this.#attributeIds.add(attribute);
      this.#newAttributes.set(attribute, { key, spellings: new Spellings() });
    }
    if (index !== undefined) this.#newAttributes.get(attribute)?.spellings.add(name, index);
    let option = this.#options.get(optionKey(attribute, value));
    if (option === undefined) {
      option = this.#ids.option(key, value, (id) => this.#attributeOfOption.has(id));
      this.#options.set(optionKey(attribute, value), option);
      this.#attributeOfOption.set(option, attribute);
      this.#newOptions.set(option, { id: option, attributeId: attribute, name: value, uses: 0 });
    }
    return option;
  }

  /** The options an employee has after a record: those of the attributes it lists are replaced, the others stay. Sorted by attribute. */
  merge(current: readonly number[], listedAttributes: readonly number[], set: readonly number[]): number[] {
    const listed = new Set(listedAttributes);
    const kept = current.filter((option) => !listed.has(this.#attributeOf(option)));
    return [...kept, ...set].sort((a, b) => this.#attributeOf(a) - this.#attributeOf(b) || a - b);
  }

  /** Those of the options that belong to the attributes. */
  optionsOf(current: readonly number[], attributes: readonly number[]): number[] {
    const wanted = new Set(attributes);
    return current.filter((option) => wanted.has(this.#attributeOf(option)));
  }

  /** Counts an applied record's use of its options. */
  use(options: readonly number[]): void {
    for (const option of options) {
      const added = this.#newOptions.get(option);
      if (added !== undefined) added.uses += 1;
    }
  }

  /** Takes back what a record used that is skipped after all. */
  unuse(options: readonly number[], index: number): void {
    for (const option of options) {
      const added = this.#newOptions.get(option);
      if (added === undefined) continue;
      added.uses -= 1;
      this.#newAttributes.get(this.#attributeOf(option))?.spellings.remove(index);
    }
  }

  /** What has to be written: the new options in use and the new attributes they belong to. */
  additions(): { attributes: NewAttribute[]; options: NewOption[]; next: { attributeId: number; optionId: number } } {
    const options = [...this.#newOptions.values()].flatMap(({ uses, ...option }) => (uses > 0 ? [option] : []));
    const used = new Set(options.map(({ attributeId }) => attributeId));
    const attributes = [...this.#newAttributes].flatMap(([id, { key, spellings }]) =>
      used.has(id) ? [{ id, key, name: spellings.first() ?? key }] : [],
    );
    return { attributes, options, next: this.#ids.next() };
  }

  #attributeOf(option: number): number {
    return this.#attributeOfOption.get(option) ?? 0;
  }
}

function optionKey(attributeId: number, value: string): string {
  return `${attributeId}/${value}`;
}
