import { inAccount, inAccountSnapshot, type Client, type Pool } from '@survey/postgres/database.ts';
import { QueueTimeoutError } from '@survey/process/fair-limiter.ts';
import { busy } from '@survey/rpc/application-error.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import { AccountSlots } from '../account-slots.ts';

/** Pool connections for uploads. Background work has a separate pool. */
export const UPLOAD_CONNECTIONS = 6;
const MAX_CONNECTIONS_PER_ACCOUNT = 2;
// Each body uses up to 1 MiB, plus the hashes of its account's employees: 25 MB per million.
const MAX_BODIES = 100;
const MAX_BODIES_PER_ACCOUNT = 3;
const QUEUE_TIMEOUT_MS = 10_000;

/** Limits shared by the uploads of all accounts, so that one account cannot block the others. */
export class Uploads {
  readonly #pool: Pool;
  readonly #bodies = new AccountSlots({ max: MAX_BODIES, maxPerAccount: MAX_BODIES_PER_ACCOUNT });
  readonly #connections = new AccountSlots({ max: UPLOAD_CONNECTIONS, maxPerAccount: MAX_CONNECTIONS_PER_ACCOUNT });

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /**
   * Receives one body once a slot is free.
   * @throws `busy` after 10 s in the queue
   */
  async receive<T>({ signal }: Pick<CallContext, 'signal'>, accountId: number, work: () => Promise<T>): Promise<T> {
    try {
      return await this.#bodies.run(accountId, work, { signal, timeoutMs: QUEUE_TIMEOUT_MS });
    } catch (error) {
      if (!(error instanceof QueueTimeoutError)) throw error;
      throw busy('Other uploads of this account are still being received. Retry when one of them has ended.');
    }
  }

  /**
   * Runs a transaction in the account once a connection is free. Keep it short: no network waits
   * inside.
   */
  inAccount<T>(accountId: number, work: (tx: Client) => Promise<T>): Promise<T> {
    return this.#connections.run(accountId, () => inAccount(this.#pool, accountId, work));
  }

  /** Like inAccount, read-only: all its statements see one database snapshot. */
  readInAccount<T>(accountId: number, work: (tx: Client) => Promise<T>): Promise<T> {
    return this.#connections.run(accountId, () => inAccountSnapshot(this.#pool, accountId, work));
  }
}
