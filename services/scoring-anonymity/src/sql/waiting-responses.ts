import type { Client, Pool } from '@survey/postgres/database.ts';
import { markDue } from '@survey/postgres/due.ts';
import { Fact } from '@survey/rpc/gen/survey/intake/v1/intake.ts';
import type { IncomingFact } from '@survey/bus/intake.ts';

export interface WaitingResponse {
  readonly id: string;
  readonly employeeImportId: string;
  readonly incoming: IncomingFact;
}

const FIRST_LOOK_MS = 2_000;

/** Keeps facts until their employees come: of one response and one employee the newest. */
export async function keepWaiting(tx: Client, accountId: number, waiting: readonly WaitingResponse[]): Promise<void> {
  if (waiting.length === 0) return;
  await tx.query(
    `insert into scoring.waiting_fact as kept (account_id, kind, thing_id, employee_import_id, revision, digest, fact)
     select $1::bigint, 'response', f.* from unnest($2::text[], $3::text[], $4::bigint[], $5::bytea[], $6::bytea[]) as f
     on conflict (account_id, kind, thing_id, employee_import_id) do update
     set revision = excluded.revision, digest = excluded.digest, fact = excluded.fact
     where (excluded.revision, excluded.digest) > (kept.revision, kept.digest)`,
    [
      accountId,
      waiting.map(({ id }) => id),
      waiting.map(({ employeeImportId }) => employeeImportId),
      waiting.map(({ incoming }) => incoming.revision),
      waiting.map(({ incoming }) => incoming.digest),
      waiting.map(({ incoming }) => Buffer.from(Fact.encode(withoutTexts(incoming.fact)).finish())),
    ],
  );
  // Their employees may have come between the look-up and the end of this transaction, and their import's event before it.
  await markDue(tx, 'scoring', 'facts', [accountId], FIRST_LOOK_MS);
}

// What people wrote is text-analysis' to keep. The digest stays that of the whole fact.
function withoutTexts(fact: Fact): Fact {
  if (fact.response == null) return fact;
  const answers = fact.response.answers.map((answer) => ({ ...answer, text: null }));
  return { ...fact, response: { ...fact.response, answers } };
}

/** Drops what waits about these responses and has been applied, or has lost against a newer fact. */
export async function dropSuperseded(tx: Client, accountId: number, ids: readonly string[]): Promise<void> {
  await tx.query(
    `delete from scoring.waiting_fact w using scoring.response r
     where w.account_id = $1::bigint and w.kind = 'response' and w.thing_id = any($2::text[])
       and r.account_id = w.account_id and r.id = w.thing_id::uuid and (w.revision, w.digest) <= (r.revision, r.digest)`,
    [accountId, ids],
  );
}

/** Up to `limit` facts that wait for employees who are there, with the digests that they came with. */
export async function readyResponses(tx: Client, accountId: number, limit: number): Promise<IncomingFact[]> {
  const { rows } = await tx.query<{ fact: Buffer; revision: number; digest: Buffer }>(
    `select w.fact, w.revision, w.digest
     from scoring.waiting_fact w
     join imports.employee e
       on e.account_id = w.account_id and e.created_via = 'import_api' and e.import_id = w.employee_import_id
     where w.account_id = $1::bigint and w.kind = 'response'
     limit $2`,
    [accountId, limit],
  );
  return rows.map(({ fact, revision, digest }) => ({
    fact: Fact.decode(fact),
    revision,
    digest,
    source: '',
    sequence: 0,
    position: 0,
    line: 0,
  }));
}

/** The accounts in which responses wait. */
export async function accountsWithWaitingFacts(pool: Pool): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>('select id from scoring.accounts_with_waiting_facts() as id');
  return rows.map(({ id }) => id);
}
