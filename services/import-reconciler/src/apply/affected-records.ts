import type { Client } from '@survey/postgres/database.ts';
import { analyze } from './working-tables.ts';

/** An employee whom records of others affect. */
export interface AffectedEmployee {
  readonly position: number;
  readonly employee_id: number;
  readonly import_id: string | null;
  readonly sends_supervisor: boolean;
}

/** Columns of imports.employee that form an AffectedEmployee. */
export const AFFECTED_EMPLOYEE = 'position, id as employee_id, import_id, sends_supervisor';

/** Adds unchanged records; the plan of a planned record has its own warnings. */
export async function addAffected(
  tx: Client,
  affected: readonly (AffectedEmployee & { readonly index: number })[],
  isChanged: boolean,
): Promise<void> {
  if (affected.length === 0) return;
  await tx.query(
    `insert into affected_record
     select b.*, $5::boolean from unnest($1::int[], $2::bigint[], $3::text[], $4::boolean[]) as b (index, employee_id, import_id, sends_supervisor)
     where not exists (select from planned p where p.index = b.index)`,
    [
      affected.map(({ index }) => index),
      affected.map(({ employee_id }) => employee_id),
      affected.map(({ import_id }) => import_id),
      affected.map(({ sends_supervisor }) => sends_supervisor),
      isChanged,
    ],
  );
  await analyze(tx, affected.length, 'affected_record');
}
