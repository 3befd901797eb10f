import { once } from 'node:events';
import type { Writable } from 'node:stream';
import pgCopy from 'pg-copy-streams';
import type { Client } from './database.ts';

const HEADER = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)]);
const FLUSH_BYTES = 64 * 1024;

/**
 * Inserts rows into a table with COPY BINARY: several times faster than inserts. Values follow the
 * order of the statement's columns.
 */
export class BinaryCopy {
  readonly #stream: Writable;
  #buffer = Buffer.allocUnsafe(4 * FLUSH_BYTES);
  #spare = Buffer.allocUnsafe(4 * FLUSH_BYTES);
  #sending = Promise.resolve();
  #used = 0;
  #failure: Error | undefined;
  // Rejects when the connection is lost: the stream itself then neither drains nor ends.
  readonly #failed: Promise<never>;

  /** `statement` is `copy … from stdin (format binary)`. */
  constructor(client: Client, statement: string) {
    this.#stream = client.query(pgCopy.from(statement));
    this.#failed = new Promise((_, reject) => {
      this.#stream.on('error', (error: Error) => {
        this.#failure = error;
        reject(error);
      });
    });
    // `flush` and `end` report it.
    this.#failed.catch(() => undefined);
    this.#used = HEADER.copy(this.#buffer);
  }

  row(columns: number): void {
    this.#room(2);
    this.#used = this.#buffer.writeInt16BE(columns, this.#used);
  }

  null(): void {
    this.#length(-1, 0);
  }

  boolean(value: boolean | null): void {
    if (value === null) return this.null();
    this.#length(1, 1);
    this.#used = this.#buffer.writeUInt8(value ? 1 : 0, this.#used);
  }

  int4(value: number): void {
    this.#length(4, 4);
    this.#used = this.#buffer.writeInt32BE(value, this.#used);
  }

  int8(value: number | null): void {
    if (value === null) return this.null();
    this.#length(8, 8);
    this.#used = this.#buffer.writeBigInt64BE(BigInt(value), this.#used);
  }

  // 16 bytes.
  uuid(bytes: Buffer): void {
    this.#length(16, 16);
    this.#used += bytes.copy(this.#buffer, this.#used, 0, 16);
  }

  bytes(value: Buffer): void {
    this.#length(value.length, value.length);
    this.#used += value.copy(this.#buffer, this.#used);
  }

  text(value: string | null): void {
    if (value === null) return this.null();
    const maxBytes = value.length * 3;
    this.#room(4 + maxBytes);
    const written = this.#buffer.write(value, this.#used + 4);
    this.#buffer.writeInt32BE(written, this.#used);
    this.#used += 4 + written;
  }

  int4Array(values: readonly number[] | null): void {
    if (values === null) return this.null();
    const count = values.length;
    const header = count === 0 ? [0, 0, 23] : [1, 0, 23, count, 1];
    this.#length(4 * header.length + 8 * count, 4 * header.length + 8 * count);
    for (const word of header) this.#used = this.#buffer.writeInt32BE(word, this.#used);
    for (const value of values) {
      this.#used = this.#buffer.writeInt32BE(4, this.#used);
      this.#used = this.#buffer.writeInt32BE(value, this.#used);
    }
  }

  textArray(values: readonly string[] | null): void {
    if (values === null) return this.null();
    const header = values.length === 0 ? [0, 0, 25] : [1, 0, 25, values.length, 1];
    const bytes = values.reduce((sum, value) => sum + 4 + Buffer.byteLength(value), 4 * header.length);
    this.#length(bytes, bytes);
    for (const word of header) this.#used = this.#buffer.writeInt32BE(word, this.#used);
    for (const value of values) this.text(value);
  }

  /**
   * Sends the buffered rows, and waits while the server is slow. Call it after each batch of rows.
   */
  async flush(): Promise<void> {
    if (this.#failure) throw this.#failure;
    if (this.#used < FLUSH_BYTES) return;
    await this.#send();
  }

  async end(): Promise<void> {
    this.#room(2);
    this.#used = this.#buffer.writeInt16BE(-1, this.#used);
    await this.#send();
    await this.#sending;
    this.#stream.end();
    if (this.#failure) throw this.#failure;
    await Promise.race([once(this.#stream, 'finish'), this.#failed]);
  }

  /**
   * Aborts the copy: the transaction can only be rolled back afterwards. Without it the server
   * waits for more rows forever and blocks every later statement, including `rollback`.
   */
  async abort(): Promise<void> {
    // If the server rejects the rows or the connection is lost, the stream is not closed.
    if (this.#failure || this.#stream.closed) return;
    const closed = new Promise((resolve) => this.#stream.once('close', resolve));
    this.#stream.destroy(new Error('the copy was abandoned'));
    await closed;
  }

  // One buffer fills while the other is being sent, so a table of any size takes the memory of two.
  async #send(): Promise<void> {
    await this.#sending;
    const full = this.#buffer.subarray(0, this.#used);
    this.#sending = this.#write(full);
    // The next send reports it; until then an unhandled rejection must not end the process.
    this.#sending.catch(() => undefined);
    [this.#buffer, this.#spare] = [this.#spare, this.#buffer];
    this.#used = 0;
    if (this.#failure) throw this.#failure;
  }

  // Throws if the connection was lost at this moment.
  async #write(bytes: Buffer): Promise<void> {
    if (this.#failure) throw this.#failure;
    await Promise.race([new Promise<void>((resolve) => this.#stream.write(bytes, () => resolve())), this.#failed]);
  }

  #length(length: number, bytes: number): void {
    this.#room(4 + bytes);
    this.#used = this.#buffer.writeInt32BE(length, this.#used);
  }

  #room(bytes: number): void {
    if (this.#used + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#buffer.length, this.#used + bytes));
    this.#buffer.copy(larger, 0, 0, this.#used);
    this.#buffer = larger;
  }
}
