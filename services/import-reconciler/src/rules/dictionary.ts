import type { DictionaryIds } from './dictionary-ids.ts';

/** An attribute or option that the import would create. */
interface NewAttribute {
  readonly id: number;
  readonly name: string;
  readonly key: string;
}

interface NewOption {
  readonly id: number;
  readonly attributeId: number;
  readonly name: string;
}

/** How a new attribute is spelled by applied records from this index on. */
interface Spelling {
  readonly attributeId: number;
  readonly index: number;
  readonly name: string;
}

/** An attribute as named by a record, with the value to set; null clears it. */
export interface NamedValue {
  readonly key: string;
  readonly name: string;
  readonly value: string | null;
}

export interface DictionaryRow {
  attribute_id: number;
  name_key: string;
  option_id: number | null;
  option_name: string | null;
  // Whether no employee had the option when unused values were last looked for.
  is_unused: boolean | null;
}

/** What must be looked up in PostgreSQL before it is used. */
export interface UnknownNames {
  readonly names: readonly Pick<NamedValue, 'key' | 'value'>[];
  readonly optionIds: readonly number[];
  readonly attributeIds: readonly number[];
}

/** What an import must insert or change in the tables of attributes and options. */
interface Additions {
  readonly attributes: readonly NewAttribute[];
  readonly options: readonly NewOption[];
  // Options that were unused and are used again.
  readonly revived: readonly number[];
}

/**
 * Attributes and options of an account while records or facts are planned: all of a small account,
 * otherwise those in use, so that memory does not grow with their number. `unknownOf` says what is
 * missing; `learn` takes it from PostgreSQL, and `clear` drops everything.
 *
 * Names get ids at once, but are written only when a record that uses them is applied (rules
 * IMPORT-LIFECYCLE-CANCEL-2 and IMPORT-ATTRIBUTES-VALUES-3). Ids that are not written are never
 * used.
 */
export class Dictionary {
  // Whether a name that is not here does not exist.
  #isComplete: boolean;
  // Attribute ids by name. Flat, since an account may have 100,000 attributes with one option each.
  readonly #attributes = new Map<string, number>();
  // Option ids by attribute id and value.
  readonly #options = new Map<string, number>();
  readonly #attributeOfOption = new Map<number, number>();
  readonly #attributeIds = new Set<number>();
  readonly #unusedOptions = new Set<number>();
  readonly #newAttributes = new Map<number, { readonly key: string; name: string | undefined }>();
  readonly #newOptions = new Map<number, NewOption & { isUsed: boolean }>();
  #revived: number[] = [];
  readonly #lastSpelling = new Map<number, string>();
  #spellings: Spelling[] = [];
  readonly #ids: DictionaryIds;

  /** @param rows undefined: nothing is known yet */
  constructor(rows: Iterable<DictionaryRow> | undefined, ids: DictionaryIds) {
    this.#ids = ids;
    this.#isComplete = rows !== undefined;
    for (const row of rows ?? []) this.#learnRow(row);
  }

  /** Names and options in memory. */
  get size(): number {
    return this.#attributes.size + this.#attributeOfOption.size + this.#spellings.length;
  }

  /** The ids that the account counts from. */
  get next(): { readonly attributeId: number; readonly optionId: number } {
    return this.#ids.next();
  }

  /** Drops everything; additions and spellings must be written before. */
  clear(): void {
    this.#isComplete = false;
    for (const cache of [
      this.#attributes,
      this.#options,
      this.#attributeOfOption,
      this.#attributeIds,
      this.#unusedOptions,
      this.#lastSpelling,
    ])
      cache.clear();
  }

  /** Returns what to look up before these are used; undefined when all are known. */
  unknownOf(values: Iterable<Pick<NamedValue, 'key' | 'value'>>, optionIds: Iterable<number>): UnknownNames | undefined {
    if (this.#isComplete) return undefined;
    const unknown = new Map<string, Pick<NamedValue, 'key' | 'value'>>();
    for (const { key, value } of values) if (!this.#isKnown(key, value)) unknown.set(`${key}\0${value}`, { key, value });
    const names = [...unknown.values()];
    const unknownIds = new Set([...optionIds].filter((id) => !this.#attributeOfOption.has(id)));
    if (names.length + unknownIds.size === 0) return undefined;
    const candidates = names.map(({ key, value }) => this.#ids.candidates(key, value));
    return {
      names,
      optionIds: [...unknownIds, ...candidates.flatMap(({ options }) => options)],
      attributeIds: candidates.flatMap(({ attributes }) => attributes),
    };
  }

  /** Takes what was looked up; what is not a row would be found by nobody. */
  learn({
    rows = [],
    options = [],
    attributes = [],
  }: {
    readonly rows?: Iterable<DictionaryRow>;
    readonly options?: Iterable<{ readonly id: number; readonly attribute_id: number }>;
    readonly attributes?: Iterable<{ readonly id: number }>;
  }): void {
    for (const row of rows) this.#learnRow(row);
    for (const { id, attribute_id } of options) this.#attributeOfOption.set(id, attribute_id);
    for (const { id } of attributes) this.#attributeIds.add(id);
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
  optionId({ key, name, value }: NamedValue & { readonly value: string }, index?: number): number {
    let attribute = this.#attributes.get(key);
    if (attribute === undefined) {
      attribute = this.#ids.attribute(key, (id) => this.#attributeIds.has(id));
      this.#attributes.set(key, attribute);
      this.#attributeIds.add(attribute);
      this.#newAttributes.set(attribute, { key, name: undefined });
    }
    if (index !== undefined) this.#noteSpelling(attribute, name, index);
    let option = this.#options.get(optionKey(attribute, value));
    if (option === undefined) {
      option = this.#ids.option(key, value, (id) => this.#attributeOfOption.has(id));
      this.#options.set(optionKey(attribute, value), option);
      this.#attributeOfOption.set(option, attribute);
      this.#newOptions.set(option, { id: option, attributeId: attribute, name: value, isUsed: false });
    }
    if (this.#unusedOptions.delete(option)) this.#revived.push(option);
    return option;
  }

  /**
   * Returns an employee's options after a record: options of listed attributes are replaced, others
   * are kept. Sorted by attribute, and once each: several names may mean one value (rule
   * ATTRIBUTES-MERGE-2).
   */
  merge(current: readonly number[], listedAttributes: readonly number[], newOptions: readonly number[]): number[] {
    const replaced = new Set(listedAttributes);
    const unchanged = current.filter((option) => !replaced.has(this.#attributeOf(option)));
    return [...new Set([...unchanged, ...newOptions])].sort((a, b) => this.#attributeOf(a) - this.#attributeOf(b) || a - b);
  }

  /** Returns the options that belong to the given attributes. */
  optionsOf(current: readonly number[], attributes: readonly number[]): number[] {
    const attributeIds = new Set(attributes);
    return current.filter((option) => attributeIds.has(this.#attributeOf(option)));
  }

  /** Marks the options that an applied record uses. */
  use(options: readonly number[]): void {
    for (const option of options) {
      const added = this.#newOptions.get(option);
      if (added !== undefined) added.isUsed = true;
    }
  }

  /** Returns what must be written, once: new options in use and their new attributes. */
  takeAdditions(): Additions {
    const options = [...this.#newOptions.values()].filter(({ isUsed }) => isUsed);
    const used = new Set(options.map(({ attributeId }) => attributeId));
    const attributes = [...this.#newAttributes].flatMap(([id, { key, name }]) =>
      used.has(id) ? [{ id, key, name: name ?? key }] : [],
    );
    const revived = this.#revived;
    this.#newOptions.clear();
    this.#newAttributes.clear();
    this.#revived = [];
    return { attributes, options, revived };
  }

  /** Returns, once, the changes of the spellings of new attributes. */
  takeSpellings(): readonly Spelling[] {
    const spellings = this.#spellings;
    this.#spellings = [];
    return spellings;
  }

  #learnRow({ attribute_id, name_key, option_id, option_name, is_unused }: DictionaryRow): void {
    this.#attributes.set(name_key, attribute_id);
    this.#attributeIds.add(attribute_id);
    // Both or none, from an outer join.
    if (option_id === null || option_name === null) return;
    this.#options.set(optionKey(attribute_id, option_name), option_id);
    this.#attributeOfOption.set(option_id, attribute_id);
    if (is_unused === true) this.#unusedOptions.add(option_id);
  }

  #isKnown(key: string, value: string | null): boolean {
    const attribute = this.#attributes.get(key);
    return attribute !== undefined && (value === null || this.#options.has(optionKey(attribute, value)));
  }

  #noteSpelling(attributeId: number, name: string, index: number): void {
    const newAttribute = this.#newAttributes.get(attributeId);
    if (newAttribute !== undefined) newAttribute.name ??= name;
    if (!this.#ids.isCounted(attributeId) || this.#lastSpelling.get(attributeId) === name) return;
    this.#lastSpelling.set(attributeId, name);
    this.#spellings.push({ attributeId, index, name });
  }

  #attributeOf(option: number): number {
    return this.#attributeOfOption.get(option) ?? 0;
  }
}

function optionKey(attributeId: number, value: string): string {
  return `${attributeId}/${value}`;
}
