import { Client, type ClientConfig } from 'pg';
import type { LongStatements } from './long-statements.ts';

// Beyond PostgreSQL's own limit of a statement, which is the better one: it leaves the connection
// usable.
const MARGIN_MS = 5_000;
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A connection from which no answer came in time. */
export class ConnectionSilentError extends Error {
  override readonly name = 'ConnectionSilentError';
  readonly code = 'ETIMEDOUT';
}

/**
 * A connection that is closed when a statement gets no answer within PostgreSQL's limit and 5 s. A
 * server that is gone without a word would otherwise hold it until TCP gives up, some 15 minutes
 * later.
 */
export class TimedClient extends Client {
  longStatements: LongStatements | undefined;
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
  }

  // Stands for all overloads of pg.
  override query(...args: never[]): never {
    if (!this.#isBusy) {
      this.#isBusy = true;
      this.#busySince = performance.now();
      this.#timer.refresh();
    }
    // oxlint-disable-next-line typescript/unbound-method -- applied to this client
    return Reflect.apply(super.query, this, args) as never;
  }

  /** How long the statement under way has taken, in milliseconds; 0 without one. */
  get busyForMs(): number {
    return this.#isBusy ? performance.now() - this.#busySince : 0;
  }

  get isUnusuallyLong(): boolean {
    return this.#limitMs > this.#usualLimitMs;
  }

  /** Sets PostgreSQL's limit of a statement, which was changed in a transaction. */
  expectStatementsWithin(limitMs: number): void {
    if (limitMs === this.#limitMs) return;
    this.#limitMs = limitMs;
    clearTimeout(this.#timer);
    this.#timer = this.#startTimer();
  }

  /** Goes back to the limit of the connection. */
  expectUsualStatements(): void {
    this.expectStatementsWithin(this.#usualLimitMs);
  }

  /**
   * Closes the connection at once. Its statements, those under way included, fail with the reason.
   */
  lose(reason: Error): void {
    this.connection.stream.destroy(reason);
  }

  #startTimer(): NodeJS.Timeout {
    const timer = setTimeout(() => this.#check(), Math.min(this.#limitMs + MARGIN_MS, MAX_TIMER_MS));
    return timer.unref();
  }

  #check(): void {
    if (this.#isBusy) this.lose(new ConnectionSilentError('the server did not answer a statement in time'));
  }
}
