import { createHash } from 'node:crypto';
import { inAccount, sqlState, type Client, type Pool } from '@survey/postgres/database.ts';
import { counter } from '@survey/process/metrics.ts';
import type { ServiceTools } from '@survey/process/service.ts';
import { Fact, FactBatch } from '@survey/rpc/gen/survey/intake/v1/intake.ts';
import type { BusConnection } from './connection.ts';
import { consume, type Delivery } from './consume.ts';
import type { ConsumerName } from './streams.ts';

/** A fact as it came, with what decides between two facts about one thing: the higher revision, then the higher digest. */
export interface IncomingFact {
  fact: Fact;
  revision: number;
  // SHA-256 of the fact without its revision and its line.
  digest: Buffer;
  // Where it stands, for dead letters: never a part of the decision.
  position: number;
  line: number;
}

/** A fact that can never be applied, and why: without what it says. */
export interface RejectedFact {
  incoming: IncomingFact;
  reason: string;
}

export interface FactConsumer {
  consumer: ConsumerName;
  kind: string;
  // The schema whose tables waiting_fact and dead_letter are the service's own.
  schema: 'export' | 'imports';
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
  const rejectedTotal = counter(tools.metrics, {
    name: 'facts_rejected_total',
    help: 'Facts that can never be applied',
    labelNames: ['kind'],
  });
  const handle = async (payload: Uint8Array, delivery: Delivery): Promise<void> => {
    const batch = decode(payload);
    if (batch === undefined) {
      rejectedTotal.inc({ kind: options.kind });
      tools.log.error({ consumer: options.consumer, sequence: delivery.sequence }, 'a message on INTAKE is not a batch of facts');
      return;
    }
    const rejected = await applyBatch(batch, options, delivery);
    rejectedTotal.inc({ kind: options.kind }, rejected);
  };
  consume(bus, { consumer: options.consumer, concurrency: CONCURRENCY, handle }, tools);
}

function decode(payload: Uint8Array): FactBatch | undefined {
  try {
    const batch = FactBatch.decode(payload);
    return batch.account_id > 0 ? batch : undefined;
  } catch {
    return undefined;
  }
}

async function applyBatch(batch: FactBatch, options: FactConsumer, delivery: Delivery): Promise<number> {
  const facts = batch.facts.map(incoming);
  const { account_id: accountId, source } = batch;
  const save = (tx: Client, rejected: readonly RejectedFact[]): Promise<void> =>
    saveDeadLetters(tx, { accountId, source, ...options, sequence: delivery.sequence }, rejected);
  try {
    return await inAccount(options.pool, accountId, async (tx) => {
      const rejected = await options.apply(tx, accountId, facts);
      await save(tx, rejected);
      return rejected.length;
    });
  } catch (error) {
    if (!isDataFault(error)) throw error;
    return inAccount(options.pool, accountId, async (tx) => {
      const rejected = await applyOneByOne(tx, accountId, facts, options);
      await save(tx, rejected);
      return rejected.length;
    });
  }
}

function incoming(fact: Fact, position: number): IncomingFact {
  const digest = createHash('sha256')
    .update(Fact.encode({ ...fact, revision: 0, line: 0 }).finish())
    .digest();
  return { fact, revision: fact.revision, digest, position, line: fact.line };
}

// One row that PostgreSQL refuses must not hold up the others of its message.
async function applyOneByOne(
  tx: Client,
  accountId: number,
  facts: readonly IncomingFact[],
  { apply }: FactConsumer,
): Promise<RejectedFact[]> {
  const rejected: RejectedFact[] = [];
  for (const one of facts) {
    await tx.query('savepoint fact');
    try {
      rejected.push(...(await apply(tx, accountId, [one])));
    } catch (error) {
      if (!isDataFault(error)) throw error;
      await tx.query('rollback to savepoint fact');
      rejected.push({ incoming: one, reason: `the database refuses it (${sqlState(error)})` });
    }
  }
  return rejected;
}

// Classes 22 (data exception) and 23 (integrity constraint violation).
function isDataFault(error: unknown): boolean {
  return /^2[23]/.test(sqlState(error) ?? '');
}

interface Origin {
  accountId: number;
  source: string;
  schema: string;
  kind: string;
  sequence: number;
}

async function saveDeadLetters(tx: Client, origin: Origin, rejected: readonly RejectedFact[]): Promise<void> {
  if (rejected.length === 0) return;
  await tx.query(
    `insert into ${origin.schema}.dead_letter (account_id, stream_sequence, kind, source, position, line, reason)
     select $1, $2, $3, $4, * from unnest($5::int[], $6::bigint[], $7::text[])
     on conflict (account_id, stream_sequence, position) do nothing`,
    [
      origin.accountId,
      origin.sequence,
      origin.kind,
      origin.source,
      rejected.map(({ incoming: { position } }) => position),
      rejected.map(({ incoming: { line } }) => line),
      rejected.map(({ reason }) => reason),
    ],
  );
}
