import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isStatementTimeout, sqlState } from '@survey/postgres/database-error.ts';
import { type Client, inAccount, type Pool, STATEMENT_TIMEOUT_MS } from '@survey/postgres/database.ts';
import type { DueSchema } from '@survey/postgres/due.ts';
import { counter, type Counter, initializeToZero } from '@survey/process/metrics.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { EncodedFactBatch } from '@survey/proto/intake/v1/intake.ts';
import type { BusConnection } from '../connection.ts';
import { consume, type Delivery } from '../consume.ts';
import { codeOf, FACT_REASON_CODES, type FactReason } from '../lines/reasons.ts';
import { isTransient, RetryLaterError } from '../redelivery.ts';
import type { ConsumerName, FactKind } from '../streams.ts';
import { AccountQueue } from './account-queue.ts';
import { replaceFormerImportIds } from './former-import-ids.ts';
import { type ApplyFacts, decodeFact, type IncomingFact, type RejectedFact, validateFacts, type ValidFact } from './fact.ts';

interface FactConsumer<K extends FactKind> {
  consumer: ConsumerName;
  kind: K;
  // Schema of the service's own tables deferred_fact and dead_letter.
  schema: DueSchema;
  pool: Pool;
  apply: ApplyFacts<K>;
}

// Maximum number of accounts whose facts are applied concurrently.
const CONCURRENCY = 2;
// Maximum facts of one account per transaction, and per turn unless one message has more.
const MAX_FACTS = 1_000;
// Maximum messages that wait for their account's turn: a backlog of small messages up to
// max_ack_pending.
const MAX_MESSAGES = 1_000;
const MAX_BYTES = 2 * 2 ** 20;
// Facts that are decoded and checked before requests have their turn: some milliseconds.
const FACTS_AT_ONCE = 100;
// Half of the time that a statement may take. If facts only wait for another writer of their
// account, this ends first, so that they are not taken for facts that are too slow.
export const LOCK_TIMEOUT_MS = STATEMENT_TIMEOUT_MS / 2;

/**
 * Applies facts of a kind as they arrive. Accounts take turns whatever their backlogs, and small
 * messages of an account are applied together. Rejected facts become dead letters and block no
 * others.
 */
export function consumeFacts<K extends FactKind>(bus: BusConnection, options: FactConsumer<K>, context: ServiceContext): void {
  const { consumer } = options;
  const intake = new Intake(options, context);
  const handle = intake.add.bind(intake);
  consume(bus, { consumer, positions: options, concurrency: MAX_MESSAGES, maxBytes: MAX_BYTES, handle }, context);
  // Before the consumer stops, because that waits for unfinished messages.
  context.resources.defer(() => intake.close());
}

// Facts are decoded when it is their turn: as objects, they take many times the memory, and what
// waits for long is expensive to collect.
interface QueuedBatch extends EncodedFactBatch {
  readonly sequence: number;
  // Number of facts.
  readonly size: number;
  // Runs in the trace of the message.
  readonly inContext: <T>(work: () => T) => T;
  readonly applied: PromiseWithResolvers<void>;
}

interface FailedFact {
  readonly incoming: IncomingFact;
  readonly error: unknown;
}

// Counted for a message that is not a batch of facts, or whose account does not exist. It leaves
// no dead letter.
const IGNORED = 'ignored';

class Intake<K extends FactKind> {
  readonly #options: FactConsumer<K>;
  readonly #context: ServiceContext;
  readonly #queue = new AccountQueue<QueuedBatch>();
  readonly #rejected: Counter<'kind' | 'reason'>;
  #running = 0;

  constructor(options: FactConsumer<K>, context: ServiceContext) {
    this.#options = options;
    this.#context = context;
    const labelNames = ['kind', 'reason'] as const;
    this.#rejected = counter(context.metrics, {
      name: 'facts_rejected_total',
      help: 'Facts that can never be applied',
      labelNames,
    });
    const { kind } = options;
    initializeToZero(
      this.#rejected,
      [...FACT_REASON_CODES, IGNORED].map((reason) => ({ kind, reason })),
    );
  }

  /** Resolves when every fact of the message is applied, deferred or rejected. */
  async add(payload: Uint8Array, { sequence, subject }: Delivery): Promise<void> {
    const batch = orUndefined(() => EncodedFactBatch.decode(payload));
    const accountId = batch?.account_id;
    // Subjects are intake.<kind>.<account>: a publisher can be allowed the subjects of its account
    // only.
    if (batch === undefined || accountId === undefined || accountId < 1 || subject.split('.')[2] !== String(accountId))
      return this.#ignore(sequence, accountId);
    const size = batch.facts.length;
    const applied = Promise.withResolvers<void>();
    this.#queue.add(accountId, { ...batch, sequence, size, inContext: AsyncLocalStorage.snapshot(), applied });
    this.#startTurns();
    await applied.promise;
  }

  close(): void {
    const stopping = new RetryLaterError('the service is stopping', { delayMs: 0 });
    for (const { applied } of this.#queue.clear()) applied.reject(stopping);
  }

  #startTurns(): void {
    while (this.#running < CONCURRENCY) {
      const turn = this.#queue.take(MAX_FACTS);
      const [first] = turn?.items ?? [];
      if (turn === undefined || first === undefined) return;
      this.#running += 1;
      void first
        .inContext(() => this.#applyTurn(turn.accountId, turn.items))
        .finally(() => {
          this.#running -= 1;
          this.#queue.release(turn.accountId);
          this.#startTurns();
        });
    }
  }

  async #applyTurn(accountId: number, batches: readonly QueuedBatch[]): Promise<void> {
    try {
      const failed = await this.#applyBatches(accountId, batches);
      const errors = new Map(failed.map(({ incoming, error }) => [incoming.sequence, error]));
      for (const { sequence, applied } of batches) {
        if (errors.has(sequence)) applied.reject(errors.get(sequence));
        else applied.resolve();
      }
    } catch (error) {
      for (const { applied } of batches) applied.reject(error);
    }
  }

  async #applyBatches(accountId: number, batches: readonly QueuedBatch[]): Promise<FailedFact[]> {
    const { kind, pool } = this.#options;
    if (!(await accountExists(pool, accountId))) {
      // The account does not exist, so its dead letters cannot be stored either.
      for (const { sequence } of batches) this.#ignore(sequence, accountId);
      return [];
    }
    const facts: ValidFact<K>[] = [];
    const rejectedFacts: RejectedFact[] = [];
    for (const batch of batches) {
      for (let from = 0; from < batch.facts.length; from += FACTS_AT_ONCE) {
        const { valid, rejected } = validateFacts(kind, readFacts(batch, from, rejectedFacts));
        // Bounded: FACTS_AT_ONCE.
        facts.push(...valid);
        // Bounded: FACTS_AT_ONCE.
        rejectedFacts.push(...rejected);
        await nextTurn();
      }
    }
    if (rejectedFacts.length > 0) await this.#reject(accountId, rejectedFacts);
    return this.#applyFacts(accountId, facts);
  }

  // A fact that fails, or takes too long, must not block the others of its batch: bisection finds
  // it, in a transaction per half.
  async #applyFacts(accountId: number, facts: readonly ValidFact<K>[]): Promise<FailedFact[]> {
    if (facts.length === 0) return [];
    if (facts.length > MAX_FACTS) return this.#applyHalves(accountId, facts);
    const { pool, apply } = this.#options;
    const write = async (tx: Client): Promise<readonly RejectedFact[]> => {
      const rejectedFacts = (await apply(tx, accountId, await replaceFormerImportIds(tx, accountId, facts))) ?? [];
      await saveDeadLetters(tx, { ...this.#options, accountId }, rejectedFacts);
      return rejectedFacts;
    };
    try {
      const rejectedFacts = await inAccount(pool, accountId, write, { lockTimeoutMs: LOCK_TIMEOUT_MS, plansForAnyAccount: true });
      this.#count(rejectedFacts);
      return [];
    } catch (error) {
      if (isTransient(error) && !isStatementTimeout(error)) return this.#defer(accountId, facts, error);
      if (facts.length > 1) return this.#applyHalves(accountId, facts);
      const reason = faultOf(error);
      if (reason === undefined) return facts.map((incoming) => ({ incoming, error }));
      await this.#reject(
        accountId,
        facts.map((incoming) => ({ incoming, reason })),
      );
      return [];
    }
  }

  async #applyHalves(accountId: number, facts: readonly ValidFact<K>[]): Promise<FailedFact[]> {
    const middle = Math.ceil(facts.length / 2);
    let failed: FailedFact[] = [];
    for (const half of [facts.slice(0, middle), facts.slice(middle)]) {
      // What came before may have taken longer than the deletion of a closed account waits.
      if (!(await accountExists(this.#options.pool, accountId))) break;
      failed = [...failed, ...(await this.#applyFacts(accountId, half))];
    }
    return failed;
  }

  // Logged once here, not once per message.
  #defer(accountId: number, facts: readonly IncomingFact[], cause: unknown): FailedFact[] {
    const { consumer } = this.#options;
    this.#context.log.warn({ err: cause, consumer, account_id: accountId, facts: facts.length }, 'facts deferred');
    const error = cause instanceof RetryLaterError ? cause : new RetryLaterError('facts deferred', { cause });
    return facts.map((incoming) => ({ incoming, error }));
  }

  async #reject(accountId: number, rejected: readonly RejectedFact[]): Promise<void> {
    await inAccount(this.#options.pool, accountId, (tx) => saveDeadLetters(tx, { ...this.#options, accountId }, rejected));
    this.#count(rejected);
  }

  #count(rejected: readonly RejectedFact[]): void {
    const { kind } = this.#options;
    for (const { reason } of rejected) this.#rejected.inc({ kind, reason: codeOf(reason) });
  }

  #ignore(sequence: number, accountId: number | undefined): void {
    const { consumer, kind } = this.#options;
    this.#rejected.inc({ kind, reason: IGNORED });
    const message =
      'a message on INTAKE is not a batch of facts of the account that its subject names, or there is no such account';
    this.#context.log.error({ consumer, sequence, account_id: accountId }, message);
  }
}

async function accountExists(pool: Pool, accountId: number): Promise<boolean> {
  const { rows } = await pool.query<{ exists: boolean }>('select admin.account_exists($1) as exists', [accountId]);
  return rows[0]?.exists === true;
}

// Returns why the database can never write the fact that it was given alone, if it said so. Classes
// 22 (data exception), 23 (integrity constraint violation) and 54 (program limit exceeded, such as
// an index row that is too large).
function faultOf(error: unknown): FactReason | undefined {
  if (isStatementTimeout(error)) return 'database_too_slow';
  const code = sqlState(error) ?? '';
  return /^(22|23|54)/.test(code) ? `database_rejects:${code}` : undefined;
}

/** Owner of dead letters. */
interface DeadLetterOwner {
  accountId: number;
  // Schema of the service that rejects them.
  schema: DueSchema;
  kind: string;
}

/**
 * Stores the positions and reasons of rejected facts, once per fact even if its message is
 * redelivered. The source is part of the key: a recreated stream numbers its messages from 1 again.
 */
export async function saveDeadLetters(tx: Client, owner: DeadLetterOwner, rejected: readonly RejectedFact[]): Promise<void> {
  if (rejected.length === 0) return;
  const incomingFacts = rejected.map(({ incoming }) => incoming);
  await tx.query(
    `insert into ${owner.schema}.dead_letter (account_id, kind, source, stream_sequence, position, line, reason)
     select $1, $2, * from unnest($3::text[], $4::bigint[], $5::int[], $6::bigint[], $7::text[])
     on conflict (account_id, source, stream_sequence, position) do nothing`,
    [
      owner.accountId,
      owner.kind,
      incomingFacts.map(({ source }) => source),
      incomingFacts.map(({ sequence }) => sequence),
      incomingFacts.map(({ position }) => position),
      incomingFacts.map(({ line }) => line),
      rejected.map(({ reason }) => reason),
    ],
  );
}

const MAX_SOURCE = 255;

/** Returns some facts of a message. Adds items that are not facts to `rejectedFacts`. */
function readFacts({ source, sequence, facts }: QueuedBatch, from: number, rejectedFacts: RejectedFact[]): IncomingFact[] {
  const origin = { source: storable(source), sequence };
  return facts.slice(from, from + FACTS_AT_ONCE).flatMap((bytes, index) => {
    const arrival = { ...origin, position: from + index };
    const incoming = orUndefined(() => decodeFact(bytes, arrival));
    if (incoming === undefined) rejectedFacts.push({ incoming: { ...arrival, line: 0 }, reason: 'undecodable' });
    return incoming ?? [];
  });
}

// Dead letters and deferred facts store the source: PostgreSQL has no U+0000, and an index row ends
// at 2,704 bytes.
const storable = (source: string): string => source.replaceAll('\0', '\u{fffd}').slice(0, MAX_SOURCE).toWellFormed();

function orUndefined<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}
