import type { Client, Pool } from '@survey/postgres/database.ts';
import { markDue } from '@survey/postgres/due.ts';
import { Fact } from '@survey/rpc/gen/survey/intake/v1/intake.ts';
import { readyResponsesOf } from '@survey/bus/awaited-employee.ts';
import { asDeferred, type DeferredRow, type IncomingFact } from '@survey/bus/fact-batch.ts';

export interface DeferredResponse {
  readonly id: string;
  // Key of the awaited employee (@survey/bus/awaited-employee.ts).
  readonly waitsFor: string;
  readonly incoming: IncomingFact;
}

const FIRST_LOOK_MS = 2_000;

/**
 * Stores responses until their employees exist; keeps the newest version per response and employee,
 * from the load that stated it last.
 */
export async function deferResponses(tx: Client, accountId: number, waiting: readonly DeferredResponse[]): Promise<void> {
  if (waiting.length === 0) return;
  await tx.query(
    `insert into scoring.deferred_fact as kept (account_id, kind, object_id, missing_object, revision, digest, fact, source, line)
     select $1::bigint, 'response', f.*
     from unnest($2::text[], $3::text[], $4::bigint[], $5::bytea[], $6::bytea[], $7::text[], $8::bigint[]) as f
     on conflict (account_id, kind, object_id, missing_object) do update
     set revision = excluded.revision, digest = excluded.digest, fact = excluded.fact, source = excluded.source, line = excluded.line
     where (excluded.revision, excluded.digest) >= (kept.revision, kept.digest)`,
    [
      accountId,
      waiting.map(({ id }) => id),
      waiting.map(({ waitsFor }) => waitsFor),
      waiting.map(({ incoming }) => incoming.revision),
      waiting.map(({ incoming }) => incoming.digest),
      waiting.map(({ incoming }) => Buffer.from(Fact.encode(withoutTexts(incoming.fact)).finish())),
      waiting.map(({ incoming }) => incoming.source),
      waiting.map(({ incoming }) => incoming.line),
    ],
  );
  // The employee can appear between the lookup and the commit, with the import's event published
  // before the commit.
  await markDue(tx, 'scoring', 'facts', [accountId], FIRST_LOOK_MS);
}

// Texts belong to text-analysis. The digest remains that of the whole fact.
function withoutTexts(fact: Fact): Fact {
  if (fact.response == null) return fact;
  const answers = fact.response.answers.map((answer) => ({ ...answer, text: null }));
  return { ...fact, response: { ...fact.response, answers } };
}

/** Deletes deferred versions of these responses that were applied or superseded. */
export async function deleteSuperseded(tx: Client, accountId: number, ids: readonly string[]): Promise<void> {
  await tx.query(
    `delete from scoring.deferred_fact w using scoring.response r
     where w.account_id = $1::bigint and w.kind = 'response' and w.object_id = any($2::text[])
       and r.account_id = w.account_id and r.id = w.object_id::uuid and (w.revision, w.digest) <= (r.revision, r.digest)`,
    [accountId, ids],
  );
}

/** Returns up to `limit` deferred facts whose employees exist now, with their original digests. */
export async function readyResponses(tx: Client, accountId: number, limit: number): Promise<IncomingFact[]> {
  const { rows } = await tx.query<DeferredRow>(readyResponsesOf('scoring.deferred_fact'), [accountId, limit]);
  return rows.map(asDeferred);
}

/** Returns the accounts that have deferred responses. */
export async function accountsWithWaitingFacts(pool: Pool): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>('select id from scoring.accounts_with_deferred_facts() as id');
  return rows.map(({ id }) => id);
}
