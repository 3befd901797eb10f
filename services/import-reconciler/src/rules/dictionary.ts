import type { DictionaryIds } from './dictionary-ids.ts';
import { Spellings } from './spellings.ts';

/** An attribute or option that the import would create. */
interface NewAttribute {
  id: number;
  name: string;
  key: string;
}

interface NewOption {
  id: number;
  attributeId: number;
  name: string;
}

interface UsedOption extends NewOption {
  uses: number;
}

/** An attribute as named by a record, with the value to set. */
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
 * The account's attributes and options while an import is planned. Names get ids at once, but
 * additions are written only when a record that uses them is applied (rules
 * IMPORT-LIFECYCLE-CANCEL-2 and IMPORT-ATTRIBUTES-VALUES-3). Ids that are not written stay unused.
 */
export class Dictionary {
  // Attribute ids by name. Flat, since an account may have 100,000 attributes with one option each.
  readonly #attributes = new Map<string, number>();
  // Option ids by attribute id and value.
  readonly #options = new Map<string, number>();
  readonly #attributeOfOption = new Map<number, number>();
  readonly #newAttributes = new Map<number, { readonly key: string; spellings: Spellings | undefined }>();
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

  /** Returns the attribute with this name, if any; clearing a value creates nothing. */
  attributeId(key: string): number | undefined {
    return this.#attributes.get(key);
  }

  /**
   * Returns the option for a value that a record sets, and creates it if needed. Names are matched
   * loosely, values exactly (rule IMPORT-ATTRIBUTES-NAMES-1). The first applied record decides the
   * spelling of a new attribute: pass `index`, ascending, for each applied record.
   */
  optionId({ key, name, value }: NamedValue, index?: number): number {
    let attribute = this.#attributes.get(key);
    if (attribute === undefined) {
      attribute = this.#ids.attribute(key, (id) => this.#attributeIds.has(id));
      this.#attributes.set(key, attribute);
      this.#attributeIds.add(attribute);
      this.#newAttributes.set(attribute, { key, spellings: undefined });
    }
    if (index !== undefined) this.#addSpelling(attribute, name, index);
    let option = this.#options.get(optionKey(attribute, value));
    if (option === undefined) {
      option = this.#ids.option(key, value, (id) => this.#attributeOfOption.has(id));
      this.#options.set(optionKey(attribute, value), option);
      this.#attributeOfOption.set(option, attribute);
      this.#newOptions.set(option, { id: option, attributeId: attribute, name: value, uses: 0 });
    }
    return option;
  }

  /**
   * Returns an employee's options after a record: options of listed attributes are replaced, others
   * stay. Sorted by attribute.
   */
  merge(current: readonly number[], listedAttributes: readonly number[], set: readonly number[]): number[] {
    const listed = new Set(listedAttributes);
    const kept = current.filter((option) => !listed.has(this.#attributeOf(option)));
    return [...kept, ...set].sort((a, b) => this.#attributeOf(a) - this.#attributeOf(b) || a - b);
  }

  /** Returns the options that belong to the given attributes. */
  optionsOf(current: readonly number[], attributes: readonly number[]): number[] {
    const wanted = new Set(attributes);
    return current.filter((option) => wanted.has(this.#attributeOf(option)));
  }

  /** Counts the options that an applied record uses. */
  use(options: readonly number[]): void {
    for (const option of options) {
      const added = this.#newOptions.get(option);
      if (added !== undefined) added.uses += 1;
    }
  }

  /** Reverts `use` for a record that is skipped after all. */
  unuse(options: readonly number[], index: number): void {
    for (const option of options) {
      const added = this.#newOptions.get(option);
      if (added === undefined) continue;
      added.uses -= 1;
      this.#newAttributes.get(this.#attributeOf(option))?.spellings?.remove(index);
    }
  }

  /** Returns what must be written: new options in use and their new attributes. */
  additions(): { attributes: NewAttribute[]; options: NewOption[]; next: { attributeId: number; optionId: number } } {
    const options = [...this.#newOptions.values()].filter(({ uses }) => uses > 0);
    const used = new Set(options.map(({ attributeId }) => attributeId));
    const attributes = [...this.#newAttributes].flatMap(([id, { key, spellings }]) =>
      used.has(id) ? [{ id, key, name: spellings?.first() ?? key }] : [],
    );
    return { attributes, options, next: this.#ids.next() };
  }

  #addSpelling(attribute: number, name: string, index: number): void {
    const added = this.#newAttributes.get(attribute);
    if (added === undefined) return;
    if (added.spellings === undefined) added.spellings = new Spellings(name, index);
    else added.spellings.add(name, index);
  }

  #attributeOf(option: number): number {
    return this.#attributeOfOption.get(option) ?? 0;
  }
}

function optionKey(attributeId: number, value: string): string {
  return `${attributeId}/${value}`;
}
