import type { Client } from '@survey/postgres/database.ts';
import type { ImportRecord } from '@survey/proto/common/v1/import_outcome.ts';
import type { CodeCount } from '@survey/proto/admin/v1/admin.ts';
import { searchPattern } from './search.ts';

export interface RecordPage {
  accountId: number;
  importUuid: string;
  limit: number;
  // Index of the previous page's last record; -1 for the first page.
  after: number;
  // Empty: all.
  outcome: string;
  code: string;
  search: string;
}

const IN_IMPORT = 'from imports.record_result r where r.account_id = $1::bigint and r.import_uuid = $2::uuid';

// Conditions are added rather than disabled by parameters, so that unfiltered calls keep their
// query plan.
function filtered({ accountId, importUuid, outcome, code, search }: RecordPage): { where: string; values: unknown[] } {
  const values: unknown[] = [accountId, importUuid];
  const add = (value: unknown): string => `$${values.push(value)}`;
  let where = IN_IMPORT;
  if (outcome === 'warning') where += ` and r.warnings <> '[]'`;
  else if (outcome === 'skipped') where += ` and r.outcome = 'skipped'`;
  else if (outcome !== '') where += ` and r.outcome = ${add(outcome)}::text`;
  if (code !== '') {
    const noted = add(JSON.stringify([{ code }]));
    where += ` and (r.reasons @> ${noted}::jsonb or r.warnings @> ${noted}::jsonb)`;
  }
  const pattern = searchPattern(search);
  if (pattern !== null) {
    const found = add(pattern);
    where += ` and (r.import_id like ${found}::text || '%' or exists (
      select from imports.employee e where e.account_id = $1::bigint and e.import_id = r.import_id and e.created_via = 'import_api'
        and concat_ws(' ', e.firstname, e.lastname) ilike '%' || ${found}::text || '%'))`;
  }
  return { where, values };
}

/**
 * Returns the outcomes of an import's records, in the order of the body. Records that are plainly
 * unchanged have none.
 */
export async function importRecords(client: Client, page: RecordPage): Promise<ImportRecord[]> {
  const { where, values } = filtered(page);
  const { rows } = await client.query<ImportRecord>(
    `select r.record_index as index, coalesce(r.import_id, '') as import_id, r.outcome, r.reasons, r.warnings, (
       select concat_ws(' ', e.firstname, e.lastname) from imports.employee e
       where e.account_id = $1::bigint and e.import_id = r.import_id and e.created_via = 'import_api') as name ${where}
       and r.record_index > $${values.push(page.after)}::integer
     order by r.record_index limit $${values.push(page.limit)}::integer`,
    values,
  );
  return rows;
}

export async function countImportRecords(client: Client, page: RecordPage): Promise<number> {
  const { where, values } = filtered(page);
  const { rows } = await client.query<{ total: number }>(`select count(*) as total ${where}`, values);
  return rows[0]?.total ?? 0;
}

/** Counts the records that were skipped, and applied with a warning, for each code. */
export async function countByCode(client: Client, { accountId, importUuid }: RecordPage): Promise<CodeCount[]> {
  const { rows } = await client.query<CodeCount>(
    `select n.kind, n.code, count(distinct r.record_index) as records
     from imports.record_result r, lateral (
       select 'skipped' as kind, reason ->> 'code' as code from jsonb_array_elements(r.reasons) reason where r.outcome = 'skipped'
       union all
       select 'warning', warning ->> 'code' from jsonb_array_elements(r.warnings) warning
     ) n
     where r.account_id = $1::bigint and r.import_uuid = $2::uuid and (r.outcome = 'skipped' or r.warnings <> '[]')
     group by n.kind, n.code order by n.kind, count(distinct r.record_index) desc, n.code`,
    [accountId, importUuid],
  );
  return rows;
}
