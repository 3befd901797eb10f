export interface Page<Row> {
  // Of all pages.
  readonly total_count: number;
  readonly rows: readonly Row[];
}

export interface ListOptions {
  // Rows of a page, 1 to 1000.
  readonly pageSize?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ListSource<Row> {
  readonly read: (limit: number, offset: number) => Promise<Page<Row>>;
  // Undefined when nothing tells two rows apart.
  readonly idOf?: ((row: Row) => string | number) | undefined;
}

/**
 * A list of the service. Iterate over it for all of its rows, or read single pages.
 *
 * Whatever was in the list when the iteration began comes once, even while rows are added: those that come in front move the rest into the
 * next page, and what was seen already is left out. It is known by its id, so an iteration remembers the ids. Rows without an id may then come
 * twice.
 */
export class List<Row> implements AsyncIterable<Row> {
  readonly #source: ListSource<Row>;
  readonly #pageSize: number;

  constructor(source: ListSource<Row>, pageSize: number) {
    this.#source = source;
    this.#pageSize = pageSize;
  }

  /** Up to `limit` rows after the first `offset`. */
  page(limit: number = this.#pageSize, offset = 0): Promise<Page<Row>> {
    return this.#source.read(limit, offset);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Row, void> {
    const { idOf } = this.#source;
    const seen = new Set<string | number>();
    for await (const row of this.#rows()) {
      const id = idOf?.(row);
      if (id !== undefined && seen.has(id)) continue;
      if (id !== undefined) seen.add(id);
      yield row;
    }
  }

  // Some of them twice.
  async *#rows(): AsyncGenerator<Row, void> {
    let offset = 0;
    let totalBefore = 0;
    for (;;) {
      const { total_count, rows } = await this.#source.read(this.#pageSize, offset);
      yield* rows;
      // Rows that left the list, as an initiative does when its status no longer matches, move the rest forward: go back as far.
      const left = Math.max(0, totalBefore - total_count);
      offset = Math.max(0, offset - left) + (left > 0 ? 0 : this.#pageSize);
      if (left === 0 && offset >= total_count) return;
      totalBefore = total_count;
    }
  }
}
