import type { Client, Pool } from '@survey/postgres/database.ts';
import { markDue } from '@survey/postgres/due.ts';
import { Fact } from '@survey/rpc/gen/survey/intake/v1/intake.ts';
import type { Version } from '../intake/read-facts.ts';

export interface DeferredAssignment {
  readonly id: number;
  readonly employeeImportId: string;
  readonly version: Version;
  readonly fact: Fact;
  readonly source: string;
  readonly line: number;
}

const FIRST_LOOK_MS = 2_000;

/** Stores facts until their employees exist: the newest per assignment and employee. */
export async function deferAssignments(tx: Client, accountId: number, waiting: readonly DeferredAssignment[]): Promise<void> {
  if (waiting.length === 0) return;
  await tx.query(
    `insert into export.deferred_fact as kept (account_id, kind, object_id, employee_import_id, revision, digest, fact, source, line)
     select $1::bigint, 'assignment', f.*
     from unnest($2::text[], $3::text[], $4::bigint[], $5::bytea[], $6::bytea[], $7::text[], $8::bigint[]) as f
     order by 3, 4
     on conflict (account_id, kind, object_id, employee_import_id) do update
     set revision = excluded.revision, digest = excluded.digest, fact = excluded.fact, source = excluded.source, line = excluded.line
     where (excluded.revision, excluded.digest) >= (kept.revision, kept.digest)`,
    [
      accountId,
      waiting.map(({ id }) => String(id)),
      waiting.map(({ employeeImportId }) => employeeImportId),
      waiting.map(({ version }) => version.revision),
      waiting.map(({ version }) => version.digest),
      waiting.map(({ fact }) => Buffer.from(Fact.encode(fact).finish())),
      waiting.map(({ source }) => source),
      waiting.map(({ line }) => line),
    ],
  );
  // The employees, and the event of their import, may have appeared before this transaction ends.
  await markDue(tx, 'export', 'facts', [accountId], FIRST_LOOK_MS);
}

/**
 * Deletes deferred facts about these assignments that have been applied, or are superseded by a
 * newer fact.
 */
export async function dropSuperseded(tx: Client, accountId: number, ids: readonly number[]): Promise<void> {
  await tx.query(
    // By ctid and with "offset 0": one index lookup per id, see find-imported.ts.
    `delete from export.deferred_fact where ctid = any(array(
       select w.ctid
       from unnest($2::text[]) as about (object_id) cross join lateral (
         select w.ctid, w.revision, w.digest from export.deferred_fact w
         where w.account_id = $1::bigint and w.kind = 'assignment' and w.object_id = about.object_id offset 0
       ) w
       where (w.revision, w.digest) <= (
         select a.revision, a.digest from export.assignment a where a.account_id = $1::bigint and a.id = about.object_id::bigint
       )
     ))`,
    [accountId, ids.map(String)],
  );
}

/** Returns up to `limit` deferred facts whose employees exist. */
export async function readyAssignments(tx: Client, accountId: number, limit: number): Promise<Fact[]> {
  const { rows } = await tx.query<{ fact: Buffer }>(
    `select w.fact
     from export.deferred_fact w cross join lateral (
       select from imports.employee e
       where e.account_id = w.account_id and e.created_via = 'import_api' and e.import_id = w.employee_import_id offset 0
     ) e
     where w.account_id = $1::bigint and w.kind = 'assignment'
     limit $2`,
    [accountId, limit],
  );
  return rows.map(({ fact }) => Fact.decode(fact));
}

/** Returns the accounts that have deferred facts. */
export async function accountsWithDeferredAssignments(pool: Pool): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>('select id from export.accounts_with_deferred_facts() as id');
  return rows.map(({ id }) => id);
}
