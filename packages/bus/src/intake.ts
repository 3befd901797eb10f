import { inAccount, sqlState, type Client, type Pool } from '@survey/postgres/database.ts';
import { beginAt0, counter } from '@survey/process/metrics.ts';
import type { ServiceTools } from '@survey/process/service.ts';
import type { BusConnection } from './connection.ts';
import { consume, type Delivery } from './consume.ts';
import { saveDeadLetters, type Origin } from './dead-letters.ts';
import { readBatch, type IncomingFact, type ReadBatch, type RejectedFact } from './fact-batch.ts';
import type { ConsumerName } from './streams.ts';

export type { IncomingFact, RejectedFact } from './fact-batch.ts';

export interface FactConsumer {
  consumer: ConsumerName;
  kind: string;
  // The schema whose tables waiting_fact and dead_letter are the service's own.
  schema: 'export' | 'imports' | 'scoring' | 'text';
  pool: Pool;
  /**
   * Applies facts of one account and one kind, and answers with those that never can be. Must end in the same state however often and in
   * whatever order facts come. Throwing means: the whole message again, later.
   */
  apply: (tx: Client, accountId: number, facts: readonly IncomingFact[]) => Promise<RejectedFact[]>;
}

const CONCURRENCY = 2;

/** Applies a kind of fact as it arrives. What can never be applied goes to the dead letters with its reason and blocks nothing behind it. */
export function consumeFacts(bus: BusConnection, options: FactConsumer, tools: ServiceTools): void {
  const { consumer, kind } = options;
  const rejectedTotal = counter(tools.metrics, {
    name: 'facts_rejected_total',
    help: 'Facts that can never be applied',
    labelNames: ['kind'],
  });
  beginAt0(rejectedTotal, [{ kind }]);
  const handle = async (payload: Uint8Array, { sequence }: Delivery): Promise<void> => {
    const batch = readBatch(payload);
    const rejected = batch === undefined ? undefined : await applyBatch(batch, options, sequence);
    rejectedTotal.inc({ kind }, rejected ?? 1);
    if (rejected === undefined) {
      const { accountId } = batch ?? {};
      tools.log.error({ consumer, sequence, accountId }, 'a message on INTAKE is not a batch of facts of an account that exists');
    }
  };
  consume(bus, { consumer, concurrency: CONCURRENCY, handle }, tools);
}

// Answers with the number of dead letters; undefined when there is no such account, whose dead letters would have no place either.
async function applyBatch(batch: ReadBatch, options: FactConsumer, sequence: number): Promise<number | undefined> {
  const { accountId, source, facts, unreadable } = batch;
  const origin = { accountId, source, schema: options.schema, kind: options.kind, sequence };
  if (!(await accountExists(options.pool, accountId))) return undefined;
  if (unreadable.length > 0) await inAccount(options.pool, accountId, (tx) => saveDeadLetters(tx, origin, unreadable));
  return unreadable.length + (await applyFacts(facts, options, origin));
}

async function accountExists(pool: Pool, accountId: number): Promise<boolean> {
  const { rows } = await pool.query<{ exists: boolean }>('select admin.account_exists($1) as exists', [accountId]);
  return rows[0]?.exists === true;
}

// One row that PostgreSQL refuses must not hold up the others of its message: it is found by halving, a transaction for each half.
async function applyFacts(facts: readonly IncomingFact[], options: FactConsumer, origin: Origin): Promise<number> {
  if (facts.length === 0) return 0;
  const attempt = (): Promise<number> =>
    inAccount(options.pool, origin.accountId, async (tx) => {
      const rejected = await options.apply(tx, origin.accountId, facts);
      await saveDeadLetters(tx, origin, rejected);
      return rejected.length;
    });
  try {
    return await attempt();
  } catch (error) {
    if (!isDataFault(error)) throw error;
    if (facts.length > 1) return applyHalves(facts, options, origin);
    return reject(facts, `the database refuses it (${sqlState(error)})`, options.pool, origin);
  }
}

async function applyHalves(facts: readonly IncomingFact[], options: FactConsumer, origin: Origin): Promise<number> {
  const middle = Math.ceil(facts.length / 2);
  const first = await applyFacts(facts.slice(0, middle), options, origin);
  return first + (await applyFacts(facts.slice(middle), options, origin));
}

async function reject(facts: readonly IncomingFact[], reason: string, pool: Pool, origin: Origin): Promise<number> {
  const rejected = facts.map((incoming): RejectedFact => ({ incoming, reason }));
  await inAccount(pool, origin.accountId, (tx) => saveDeadLetters(tx, origin, rejected));
  return rejected.length;
}

// Classes 22 (data exception) and 23 (integrity constraint violation).
function isDataFault(error: unknown): boolean {
  return /^2[23]/.test(sqlState(error) ?? '');
}
