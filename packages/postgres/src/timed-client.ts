import { Client, type ClientConfig } from 'pg';
import { ResultTooLargeError } from './database-error.ts';
import { type LargeResult, USUAL_RESULT_BYTES } from './large-result.ts';
import { ConnectionSilentError, type LongStatements } from './long-statements.ts';

// Beyond PostgreSQL's own statement limit, which is preferable: it leaves the connection usable.
const MARGIN_MS = 5_000;
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * A client that closes itself when a statement has no result within PostgreSQL's limit plus 5 s. A
 * server that disappeared silently would otherwise hold it until TCP gives up, after about 15
 * minutes.
 */
export class TimedClient extends Client {
  longStatements: LongStatements | undefined;
  /** Bytes that a statement of the current transaction may return: pg holds a result as a whole. */
  maxResultBytes = Infinity;
  /** Admits the result of a statement of the current transaction if it becomes large. */
  largeResult: LargeResult | undefined;
  readonly #usualLimitMs: number;
  #timer: NodeJS.Timeout;
  #limitMs: number;
  #isBusy = false;
  #busySince = 0;

  constructor(config: ClientConfig = {}) {
    super(config);
    this.#usualLimitMs = config.statement_timeout || Infinity;
    this.#limitMs = this.#usualLimitMs;
    this.#timer = this.#startTimer();
    this.on('drain', () => {
      this.#isBusy = false;
    });
    this.once('end', () => clearTimeout(this.#timer));
    // While the pool hands a connection over, nobody else listens: a server that ends it at this
    // moment would end this process.
    this.on('error', () => undefined);
    let resultBytes = 0;
    this.connection.on('readyForQuery', () => {
      resultBytes = 0;
    });
    this.connection.on('dataRow', ({ length }: { readonly length: number }) => {
      resultBytes += length;
      if (resultBytes > this.maxResultBytes) this.lose(new ResultTooLargeError('the result of a statement is too large'));
      else if (resultBytes > USUAL_RESULT_BYTES && resultBytes - length <= USUAL_RESULT_BYTES) void this.#awaitAdmission();
    });
  }

  // Covers all overloads of pg.
  override query(...args: never[]): never {
    if (!this.#isBusy) {
      this.#isBusy = true;
      this.#busySince = performance.now();
      this.#timer.refresh();
    }
    const [text, values, ...rest] = args as unknown[];
    // oxlint-disable-next-line typescript/unbound-method -- applied to this client
    return Reflect.apply(super.query, this, [text, Array.isArray(values) ? values.map(literalOf) : values, ...rest]) as never;
  }

  /** Duration of the current statement in milliseconds; 0 without one. */
  get busyForMs(): number {
    return this.#isBusy ? performance.now() - this.#busySince : 0;
  }

  get isUnusuallyLong(): boolean {
    return this.#limitMs > this.#usualLimitMs;
  }

  /** Call after a transaction has set its own `statement_timeout`, so that both limits agree. */
  expectStatementsWithin(limitMs: number): void {
    if (limitMs === this.#limitMs) return;
    this.#limitMs = limitMs;
    clearTimeout(this.#timer);
    this.#timer = this.#startTimer();
  }

  /** Restores the connection's usual limits. */
  expectUsualStatements(): void {
    this.expectStatementsWithin(this.#usualLimitMs);
    this.maxResultBytes = Infinity;
    this.largeResult = undefined;
  }

  /**
   * Closes the connection at once. Its statements, including the current one, fail with the reason.
   */
  lose(reason: Error): void {
    this.connection.stream.destroy(reason);
  }

  // Meanwhile, the server keeps the rest of the result.
  async #awaitAdmission(): Promise<void> {
    if (this.largeResult === undefined) return;
    const { stream } = this.connection;
    stream.pause();
    try {
      await this.largeResult.admit();
      stream.resume();
    } catch (error) {
      this.lose(new Error('too many results are large', { cause: error }));
    }
  }

  #startTimer(): NodeJS.Timeout {
    const timer = setTimeout(() => this.#check(), Math.min(this.#limitMs + MARGIN_MS, MAX_TIMER_MS));
    return timer.unref();
  }

  #check(): void {
    if (this.#isBusy) this.lose(new ConnectionSilentError('the server did not respond to a statement in time'));
  }
}

// Returns an array as PostgreSQL reads it, if none of its values needs escaping: pg escapes every
// value of the arrays that it is given, numbers too, which takes several times as long.
function literalOf(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const isText = typeof value[0] === 'string';
  const isPlain = value.every((one) => (isText ? typeof one === 'string' && !/["\\]/.test(one) : typeof one === 'number'));
  if (!isPlain) return value;
  return isText ? `{"${value.join('","')}"}` : `{${value.join()}}`;
}
