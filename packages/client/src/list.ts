export interface Page<Row> {
  // Total over all pages.
  readonly total_count: number;
  readonly rows: readonly Row[];
}

export interface ListOptions {
  // Rows per page, 1 to 1000.
  readonly pageSize?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ListSource<Row> {
  readonly read: (limit: number, offset: number) => Promise<Page<Row>>;
  // Undefined when rows have no id.
  readonly idOf?: ((row: Row) => string | number) | undefined;
}

const MAX_PAGE_SIZE = 1_000;

/**
 * A list of the service. Iterate over it for all its rows, or read single pages.
 *
 * A row that stays in the list during an iteration is returned exactly once, even while rows are
 * added and removed. Each page begins with the last row of the page before: if that row changed,
 * rows in front of it were removed, and the iteration goes back. The iteration stores the ids of
 * returned rows; rows without an id may be returned twice.
 */
export class List<Row> implements AsyncIterable<Row> {
  readonly #source: ListSource<Row>;
  readonly #pageSize: number;

  constructor(source: ListSource<Row>, pageSize: number) {
    if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > MAX_PAGE_SIZE)
      throw new RangeError(`pageSize must be an integer from 1 to ${MAX_PAGE_SIZE}`);
    this.#source = source;
    this.#pageSize = pageSize;
  }

  /** Returns up to `limit` rows after the first `offset`. */
  page(limit: number = this.#pageSize, offset = 0): Promise<Page<Row>> {
    return this.#source.read(limit, offset);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Row, void> {
    const { read, idOf } = this.#source;
    if (idOf === undefined) {
      yield* this.#rowsWithoutIds();
      return;
    }
    const seen = new Set<string | number>();
    let offset = 0;
    for (;;) {
      const overlap = offset > 0 ? 1 : 0;
      const { total_count, rows } = await read(Math.min(this.#pageSize + overlap, MAX_PAGE_SIZE), offset - overlap);
      const [first] = rows;
      if (overlap === 1 && total_count > 0 && (first === undefined || !seen.has(idOf(first)))) {
        offset = Math.max(0, Math.min(offset, total_count) - this.#pageSize);
        continue;
      }
      for (const row of rows) {
        const id = idOf(row);
        if (!seen.has(id)) yield row;
        seen.add(id);
      }
      offset += rows.length - overlap;
      if (offset >= total_count || rows.length === overlap) return;
    }
  }

  async *#rowsWithoutIds(): AsyncGenerator<Row, void> {
    let offset = 0;
    let totalBefore = 0;
    for (;;) {
      const { total_count, rows } = await this.#source.read(this.#pageSize, offset);
      yield* rows;
      // Removed rows shift the rest forward: go back by their number.
      const left = Math.max(0, totalBefore - total_count);
      offset = Math.max(0, offset - left) + (left > 0 ? 0 : this.#pageSize);
      if (left === 0 && offset >= total_count) return;
      totalBefore = total_count;
    }
  }
}
