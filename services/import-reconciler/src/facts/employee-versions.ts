import type { Version } from '@survey/bus/facts/version.ts';
import type { Client } from '@survey/postgres/database.ts';
import type { Versions } from '../rules/draft.ts';
import { MAX_TOGETHER, TooManyTogetherError } from './fact-employees.ts';

interface VersionRow {
  readonly employee_id: number;
  readonly field: string;
  readonly revision: number;
  readonly digest: Buffer;
}

/** What facts about an employee are compared with. */
export interface Compared {
  readonly id: number;
  readonly fields: readonly string[];
  // Revision of the newest fact with all fields; nothing older counts.
  readonly wholeRevision: number | undefined;
}

/**
 * Returns the versions that count, by employee and field, of an employee with all fields about
 * `max`.
 */
export async function loadVersions(
  tx: Client,
  accountId: number,
  employees: readonly Compared[],
  max: number,
): Promise<Map<number, Versions>> {
  const wholes = employees.filter(({ wholeRevision }) => wholeRevision !== undefined);
  const edits = employees.filter(({ wholeRevision }) => wholeRevision === undefined);
  const edited = edits.flatMap(({ id, fields }) => fields.map((field) => ({ id, field })));
  const { rows } = await tx.query<VersionRow>(
    `select r.* from unnest($2::bigint[], $3::bigint[]) as whole (id, revision) cross join lateral (
       select employee_id, field, revision, digest from imports.employee_revision
       where account_id = $1 and employee_id = whole.id and (field = '' or revision >= whole.revision) limit $6) r
     union all
     select r.* from unnest($4::bigint[], $5::text[]) as edited (id, field) cross join lateral (
       select employee_id, field, revision, digest from imports.employee_revision
       where account_id = $1 and employee_id = edited.id and field = edited.field offset 0) r`,
    [
      accountId,
      wholes.map(({ id }) => id),
      wholes.map(({ wholeRevision }) => wholeRevision),
      edited.map(({ id }) => id),
      edited.map(({ field }) => field),
      max + 1,
    ],
  );
  if (rows.length > MAX_TOGETHER && employees.length > 1) throw new TooManyTogetherError();
  const byEmployee = new Map<number, Map<string, Version>>();
  for (const { employee_id, field, ...version } of rows) {
    const versions = byEmployee.get(employee_id) ?? new Map<string, Version>();
    byEmployee.set(employee_id, versions.set(field, version));
  }
  return byEmployee;
}

export async function saveVersions(
  tx: Client,
  accountId: number,
  decided: readonly { readonly employeeId: number; readonly field: string; readonly version: Version }[],
): Promise<void> {
  if (decided.length === 0) return;
  await tx.query(
    `insert into imports.employee_revision (account_id, employee_id, field, revision, digest)
     select $1, * from unnest($2::bigint[], $3::text[], $4::bigint[], $5::bytea[])
     on conflict (account_id, employee_id, field) do update set revision = excluded.revision, digest = excluded.digest`,
    [
      accountId,
      decided.map(({ employeeId }) => employeeId),
      decided.map(({ field }) => field),
      decided.map(({ version }) => version.revision),
      decided.map(({ version }) => version.digest),
    ],
  );
}
