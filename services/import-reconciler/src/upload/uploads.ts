import { inAccount, inAccountSnapshot, type Client, type Pool } from '@survey/postgres/database.ts';
import { QueueTimeoutError } from '@survey/process/fair-limiter.ts';
import { busy } from '@survey/rpc/application-error.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import { AccountSlots } from '../account-slots.ts';
import { CHUNK_BYTES, deleteUpload, saveChunk, saveLastChunk, type BodyOwner } from '../tables/stored-body.ts';

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

/**
 * Stores a body in PostgreSQL while it is read, in chunks of 512 KiB; each is saved while the next
 * one arrives. Disposing of it discards the chunks unless they are kept.
 */
export class BodyStore implements AsyncDisposable {
  readonly #uploads: Uploads;
  readonly #owner: BodyOwner;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #chunks = 0;
  #saving = Promise.resolve();
  #isKept = false;

  constructor(uploads: Uploads, owner: BodyOwner) {
    this.#uploads = uploads;
    this.#owner = owner;
  }

  async *passOn(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      for await (const bytes of body) {
        this.#held.push(bytes);
        this.#heldBytes += bytes.length;
        if (this.#heldBytes >= CHUNK_BYTES) await this.#save();
        yield bytes;
      }
    } finally {
      // Waits even if the body is rejected, because a chunk that is saved after the deletion of the
      // others would never be deleted.
      await this.#saving;
    }
  }

  /** Stores the rest of a valid body as an upload. */
  async finish(): Promise<void> {
    await this.#save();
    await this.#saving;
  }

  /** Stores the rest of a valid body in the transaction of its import, which then owns it all. */
  async handOver(tx: Client): Promise<void> {
    if (!(await saveLastChunk(tx, this.#owner, this.#chunks, Buffer.concat(this.#held)))) throw abandoned();
  }

  /** Call once an import or a dry run owns the chunks. */
  keep(): void {
    this.#isKept = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isKept || this.#chunks === 0) return;
    // The sweeper deletes what this leaves behind. The error that ended the upload matters more.
    await this.#uploads.inAccount(this.#owner.accountId, (tx) => deleteUpload(tx, this.#owner)).catch(() => undefined);
  }

  async #save(): Promise<void> {
    await this.#saving;
    const data = Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    this.#saving = this.#saveChunk(this.#chunks++, data);
    // The next await reports a failure; until then it must not end the process as an unhandled
    // rejection.
    this.#saving.catch(() => undefined);
  }

  async #saveChunk(chunk: number, data: Buffer): Promise<void> {
    const isSaved = await this.#uploads.inAccount(this.#owner.accountId, (tx) => saveChunk(tx, this.#owner, chunk, data));
    if (!isSaved) throw abandoned();
  }
}

const abandoned = (): Error => busy('The upload made no progress for an hour. Send the snapshot again.');
