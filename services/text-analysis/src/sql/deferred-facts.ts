import { readyResponsesOf } from '@survey/bus/awaited-employee.ts';
import { asDeferred, type DeferredRow, type IncomingFact } from '@survey/bus/fact-batch.ts';
import type { Client, Pool } from '@survey/postgres/database.ts';
import { markDue } from '@survey/postgres/due.ts';
import { Fact } from '@survey/rpc/gen/survey/intake/v1/intake.ts';

export interface WaitingFact {
  readonly kind: 'response' | 'topic_assignment';
  // Object of the fact.
  readonly id: string;
  // For a response its employee (@survey/bus/awaited-employee.ts); for a topic_assignment `response
  // <id>` or `topic <key>`.
  readonly waitsFor: string;
  readonly incoming: IncomingFact;
}

const FIRST_LOOK_MS = 2_000;

/** Stores deferred facts: the newest per object and awaited reference. */
export async function deferFacts(tx: Client, accountId: number, waiting: readonly WaitingFact[]): Promise<void> {
  if (waiting.length === 0) return;
  await tx.query(
    `insert into text.deferred_fact as kept (account_id, kind, object_id, missing_object, revision, digest, fact, source, line)
     select $1::bigint, f.*
     from unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::bytea[], $7::bytea[], $8::text[], $9::bigint[]) as f
     on conflict (account_id, kind, object_id, missing_object) do update
     set revision = excluded.revision, digest = excluded.digest, fact = excluded.fact, source = excluded.source, line = excluded.line
     where (excluded.revision, excluded.digest) >= (kept.revision, kept.digest)`,
    [
      accountId,
      waiting.map(({ kind }) => kind),
      waiting.map(({ id }) => id),
      waiting.map(({ waitsFor }) => waitsFor),
      waiting.map(({ incoming }) => incoming.revision),
      waiting.map(({ incoming }) => incoming.digest),
      waiting.map(({ incoming }) => Buffer.from(Fact.encode(incoming.fact).finish())),
      waiting.map(({ incoming }) => incoming.source),
      waiting.map(({ incoming }) => incoming.line),
    ],
  );
  // The employees may have been imported between the look-up and this commit, too late for the
  // import event.
  if (waiting.some(({ kind }) => kind === 'response')) await markDue(tx, 'text', 'facts', [accountId], FIRST_LOOK_MS);
}

/** Deletes deferred facts about these responses that were applied or superseded. */
export async function dropSupersededResponses(tx: Client, accountId: number, ids: readonly string[]): Promise<void> {
  await tx.query(
    `delete from text.deferred_fact w using text.response r
     where w.account_id = $1::bigint and w.kind = 'response' and w.object_id = any($2::text[])
       and r.account_id = w.account_id and r.id = w.object_id::uuid and (w.revision, w.digest) <= (r.revision, r.digest)`,
    [accountId, ids],
  );
}

/**
 * Reads up to `limit` deferred responses whose employees exist, with the digests of their facts.
 */
export async function readyResponses(tx: Client, accountId: number, limit: number): Promise<IncomingFact[]> {
  const { rows } = await tx.query<DeferredRow>(readyResponsesOf('text.deferred_fact'), [accountId, limit]);
  return rows.map(asDeferred);
}

/** Deletes and returns the topic assignments that wait for one of these references. */
export async function takeAssignmentsDeferredFor(
  tx: Client,
  accountId: number,
  awaited: readonly string[],
): Promise<IncomingFact[]> {
  const { rows } = await tx.query<DeferredRow>(
    `delete from text.deferred_fact
     where account_id = $1::bigint and kind = 'topic_assignment' and missing_object = any($2::text[])
     returning fact, revision, digest, source, line`,
    [accountId, awaited],
  );
  return rows.map(asDeferred);
}

/** Returns the accounts with deferred responses. */
export async function accountsWithWaitingFacts(pool: Pool): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>('select id from text.accounts_with_deferred_facts() as id');
  return rows.map(({ id }) => id);
}
