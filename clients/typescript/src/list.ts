import type { CallOptions } from './send-request.ts';

export interface Page<Row> {
  // Total over all pages.
  readonly total_count: number;
  readonly rows: readonly Row[];
}

export interface ListOptions extends CallOptions {
  /** Rows per page, 1 to 1000: 1000 by default. */
  readonly pageSize?: number | undefined;
}

export interface FirstPage<Row> {
  readonly page: Page<Row>;
  readonly etag: string | undefined;
}

/** How far `toFile` is. */
export interface Progress {
  // Rows in the file.
  readonly rows: number;
  readonly total_count: number;
}

interface ListSource<Row> {
  readonly read: (limit: number, offset: number) => Promise<Page<Row>>;
  // Undefined when the first page still has this ETag.
  readonly readFirst: (limit: number, etag: string | undefined) => Promise<FirstPage<Row> | undefined>;
  // Undefined when rows have no id.
  readonly idOf?: ((row: Row) => string | number) | undefined;
}

const MAX_PAGE_SIZE = 1_000;

/**
 * A list of the service. Iterate over it for all its rows, or over `pages()`, or read one `page()`.
 *
 * A row that stays in the list during an iteration is returned exactly once, even while rows are
 * added and removed. Each page begins with the last row of the page before: if that row changed,
 * rows in front of it were removed, and the iteration goes back. The iteration stores the ids of
 * returned rows; rows without an id may be returned twice.
 */
export class List<Row> implements AsyncIterable<Row> {
  // ETag of a list that `unlessChangedSince` returned, if the service sent one.
  readonly etag: string | undefined;
  readonly #source: ListSource<Row>;
  readonly #pageSize: number;
  readonly #first: Page<Row> | undefined;

  constructor(source: ListSource<Row>, pageSize: number, first?: FirstPage<Row>) {
    if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > MAX_PAGE_SIZE)
      throw new RangeError(`pageSize must be an integer from 1 to ${MAX_PAGE_SIZE}`);
    this.#source = source;
    this.#pageSize = pageSize;
    this.#first = first?.page;
    this.etag = first?.etag;
  }

  /**
   * Returns the list if anything in it has changed since it had this ETag, and undefined otherwise,
   * after one request that transfers no rows. Store `etag` of the list that is returned once you
   * have stored all its rows: what changes while you read them changes the ETag again.
   */
  async unlessChangedSince(etag: string | undefined): Promise<List<Row> | undefined> {
    const first = await this.#source.readFirst(this.#pageSize, etag);
    return first && new List(this.#source, this.#pageSize, first);
  }

  /** Returns up to `limit` rows after the first `offset`. */
  page(limit: number = this.#pageSize, offset = 0): Promise<Page<Row>> {
    return this.#source.read(limit, offset);
  }

  /** Returns all rows, or the first `max`. */
  async toArray({ max = Infinity }: { readonly max?: number } = {}): Promise<Row[]> {
    const all: Row[] = [];
    for await (const rows of this.pages()) {
      for (const row of rows.slice(0, max - all.length)) all.push(row);
      if (all.length >= max) break;
    }
    return all;
  }

  /**
   * Writes all rows to a file, a line of JSON each, and returns their number. Until it is complete,
   * the name of the file ends with `.part`. Where an earlier call was interrupted, the next one
   * continues after the rows in that file, which stay as they were; rows without an id are read
   * again. No two calls may write the same file at once.
   */
  async toFile(
    path: string,
    { onProgress }: { readonly onProgress?: ((progress: Progress) => void) | undefined } = {},
  ): Promise<number> {
    const { open, rename } = await files();
    const { idOf } = this.#source;
    const part = `${path}.part`;
    const file = await open(part, idOf === undefined ? 'w' : 'a');
    try {
      const seen = idOf && (await idsIn(part, (line) => idOf(JSON.parse(line) as Row)));
      let written = seen?.size ?? 0;
      for await (const { rows, total_count } of this.#walk(seen)) {
        await file.appendFile(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
        written += rows.length;
        onProgress?.({ rows: written, total_count });
      }
      await file.sync();
      await rename(part, path);
      return written;
    } finally {
      await file.close();
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Row, void> {
    for await (const rows of this.pages()) yield* rows;
  }

  /** Iterates over all rows, one response at a time. */
  async *pages(): AsyncGenerator<readonly Row[], void> {
    for await (const { rows } of this.#walk()) yield rows;
  }

  #walk(seen?: Set<string | number>): AsyncGenerator<Page<Row>, void> {
    const { idOf } = this.#source;
    return idOf === undefined ? this.#pagesWithoutIds() : this.#pagesById(idOf, seen);
  }

  async *#pagesById(
    idOf: (row: Row) => string | number,
    seen: Set<string | number> = new Set(),
  ): AsyncGenerator<Page<Row>, void> {
    let offset = seen.size;
    for (let first = offset > 0 ? undefined : this.#first; ; first = undefined) {
      const overlap = offset > 0 ? 1 : 0;
      const limit = Math.min(this.#pageSize + overlap, MAX_PAGE_SIZE);
      const { total_count, rows } = first ?? (await this.page(limit, offset - overlap));
      const [firstRow] = rows;
      if (overlap === 1 && total_count > 0 && (firstRow === undefined || !seen.has(idOf(firstRow)))) {
        offset = Math.max(0, Math.min(offset, total_count) - this.#pageSize);
        continue;
      }
      const unseen = rows.filter((row) => !seen.has(idOf(row)));
      for (const row of unseen) seen.add(idOf(row));
      if (unseen.length > 0) yield { total_count, rows: unseen };
      offset += rows.length - overlap;
      if (offset >= total_count || rows.length === overlap) return;
    }
  }

  async *#pagesWithoutIds(): AsyncGenerator<Page<Row>, void> {
    let offset = 0;
    let totalBefore = 0;
    for (let first = this.#first; ; first = undefined) {
      const { total_count, rows } = first ?? (await this.page(this.#pageSize, offset));
      if (rows.length > 0) yield { total_count, rows };
      // Removed rows shift the rest forward: go back by their number.
      const removedRows = Math.max(0, totalBefore - total_count);
      offset = Math.max(0, offset - removedRows) + (removedRows > 0 ? 0 : this.#pageSize);
      if (removedRows === 0 && offset >= total_count) return;
      totalBefore = total_count;
    }
  }
}

// Returns the ids of the rows in a file, and removes a line whose end is missing.
async function idsIn(path: string, idOf: (line: string) => string | number): Promise<Set<string | number>> {
  const ids = new Set<string | number>();
  let [length, lineNumber] = [0, 0];
  const { open, truncate } = await files();
  const file = await open(path);
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of file.createReadStream() as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk]);
    const end = rest.lastIndexOf('\n') + 1;
    const lines = rest.toString('utf8', 0, end).split('\n').slice(0, -1);
    for (const line of lines) {
      lineNumber += 1;
      try {
        ids.add(idOf(line));
      } catch (cause) {
        throw new Error(`cannot continue ${path}: line ${lineNumber} is damaged. Delete the file to write it anew`, { cause });
      }
    }
    length += end;
    rest = rest.subarray(end);
  }
  await truncate(path, length);
  return ids;
}

// By a name that bundlers for browsers do not resolve, because there are no files.
async function files(name = 'node:fs/promises'): Promise<typeof import('node:fs/promises')> {
  return (await import(/* @vite-ignore */ name)) as typeof import('node:fs/promises');
}
