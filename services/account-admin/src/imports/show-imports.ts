import type { Client, Pool } from '@survey/postgres/database.ts';
import { invalid, notFound } from '@survey/rpc/application-error.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type {
  ImportSummary,
  ListImportsRequest,
  ListImportsResponse,
  CodeCount,
  ShowImportRequest,
  ShowImportResponse,
} from '@survey/proto/admin/v1/admin.ts';
import { utc, searchPattern } from '../sql-text.ts';
import { checkUuid } from '../uuid.ts';
import { withAccount } from '../with-account.ts';
import { withDetails } from '@survey/formats/import-reasons.ts';
import { issuesOf } from '@survey/postgres/import-issues.ts';
import type { ImportRecord } from '@survey/proto/common/v1/import_outcome.ts';

const ms = (interval: string): string => `greatest(0, floor(1000 * extract(epoch from ${interval})))`;

// Columns of imports.import that form an ImportSummary of admin.proto.
const IMPORT_SUMMARY_COLUMNS = `
  import_uuid,
  state,
  ${utc('accepted_at')} as accepted_at,
  ${utc('finished_at')} as finished_at,
  employees_total,
  json_build_object(
    'created', created, 'updated', updated, 'unchanged', unchanged,
    'reactivated', reactivated, 'skipped', skipped, 'offboarded', offboarded
  ) as counts,
  cancel_reasons,
  reasons,
  warnings,
  managed,
  trim_scale(deletion_threshold)::text as deletion_threshold,
  deletes_allowed,
  rerun_of,
  (select coalesce(k.name, k.prefix) from admin.api_key k where k.account_id = $1::bigint and k.key_id = import.key_id) as sent_by,
  ${utc('records_kept_until')} as records_kept_until,
  ${utc('records_deleted_at')} as records_deleted_at,
  case when cancelled_for_deletes then (
    select count(*) from imports.offboarding l where l.account_id = $1::bigint and l.import_uuid = import.import_uuid
  ) end as would_offboard,
  cancelled_for_deletes and body_kept_until is not null and not exists (
    select from imports.import newer where newer.account_id = $1::bigint and newer.accepted_at > import.accepted_at
  ) as can_allow_deletes,
  attempts,
  phase_ms || case when finished_at is null then coalesce((
    select jsonb_build_object('wait', ${ms('a.begun_at - accepted_at')}, 'running', ${ms('now() - a.begun_at')})
    from imports.attempt a where a.account_id = $1::bigint and a.import_uuid = import.import_uuid and a.in_progress
  ), jsonb_build_object('wait', ${ms('now() - accepted_at')})) else '{}' end as phase_ms`;

/**
 * Returns one import of the account.
 * @throws `not_found`
 */
export async function findImport(client: Client, accountId: number, importUuid: string): Promise<ImportSummary> {
  const { rows } = await client.query<ImportSummary>(
    `select ${IMPORT_SUMMARY_COLUMNS} from imports.import where account_id = $1::bigint and import_uuid = $2::uuid`,
    [accountId, importUuid],
  );
  if (rows[0] === undefined) throw notFound(`account ${accountId} has no import ${importUuid}`);
  return rows[0];
}

const DEFAULT_LIMIT = 20;
const MAX_IMPORTS = 1_000;

const STATES: ReadonlySet<string> = new Set(['', 'accepted', 'applied', 'cancelled', 'failed']);

const FILTERED = `from imports.import where account_id = $1::bigint
  and ($2::text = '' or state = $2::text) and (not $3::boolean or skipped > 0)`;

const LIST = `select ${IMPORT_SUMMARY_COLUMNS} ${FILTERED}
    and ($5::uuid is null or (import.accepted_at, import_uuid) < (
      select last.accepted_at, last.import_uuid from imports.import last where last.account_id = $1::bigint and last.import_uuid = $5::uuid))
  order by import.accepted_at desc, import_uuid desc limit $4::integer`;

/** Returns an account's imports, newest first. */
export const listImports =
  (pool: Pool) =>
  async (request: ListImportsRequest, call: CallContext): Promise<ListImportsResponse> => {
    const { account_id: accountId, limit, before, state, with_skipped } = request;
    const rowLimit = limit ?? DEFAULT_LIMIT;
    if (rowLimit < 1 || rowLimit > MAX_IMPORTS) throw invalid(`limit must be 1 to ${MAX_IMPORTS}`);
    if (!STATES.has(state ?? '')) throw invalid('state must be accepted, applied, cancelled or failed');
    if (before != null) checkUuid(before, 'before');
    return withAccount(pool, call, accountId, async (client) => {
      const filters = [accountId, state ?? '', with_skipped ?? false];
      const { rows } = await client.query<ImportSummary>(LIST, [...filters, rowLimit, before ?? null]);
      const counted = await client.query<{ total: number }>(`select count(*) as total ${FILTERED}`, filters);
      return { imports: rows, total: counted.rows[0]?.total ?? 0 };
    });
  };

interface RecordPage {
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
function conditionOf({ accountId, importUuid, outcome, code, search }: RecordPage): { where: string; values: unknown[] } {
  const values: unknown[] = [accountId, importUuid];
  const add = (value: unknown): string => `$${values.push(value)}`;
  let where = IN_IMPORT;
  if (outcome === 'warning') where += ` and r.warnings <> '[]'`;
  else if (outcome === 'skipped') where += ` and r.outcome = 'skipped'`;
  else if (outcome !== '') where += ` and r.outcome = ${add(outcome)}::text`;
  if (code !== '') {
    const issue = add(JSON.stringify([{ code }]));
    where += ` and (r.reasons @> ${issue}::jsonb or r.warnings @> ${issue}::jsonb)`;
  }
  const pattern = searchPattern(search);
  if (pattern !== null) {
    const parameter = add(pattern);
    where += ` and (r.import_id like ${parameter}::text || '%' or exists (
      select from imports.employee e where e.account_id = $1::bigint and e.import_id = r.import_id and e.created_via = 'import_api'
        and concat_ws(' ', e.firstname, e.lastname) ilike '%' || ${parameter}::text || '%'))`;
  }
  return { where, values };
}

/**
 * Returns the outcomes of an import's records, in the order of the body. Unchanged records without
 * a warning have none.
 */
async function importRecords(client: Client, page: RecordPage): Promise<ImportRecord[]> {
  const { where, values } = conditionOf(page);
  const { rows } = await client.query<ImportRecord>(
    `select r.record_index as index, coalesce(r.import_id, '') as import_id, r.outcome, coalesce(r.changed_fields, '{}') as changed_fields,
       ${issuesOf('r.reasons', '$1::bigint')} as reasons, ${issuesOf('r.warnings', '$1::bigint')} as warnings, (
       select concat_ws(' ', e.firstname, e.lastname) from imports.employee e
       where e.account_id = $1::bigint and e.import_id = r.import_id and e.created_via = 'import_api') as name ${where}
       and r.record_index > $${values.push(page.after)}::integer
     order by r.record_index limit $${values.push(page.limit)}::integer`,
    values,
  );
  return rows.map(withDetails);
}

async function countImportRecords(client: Client, page: RecordPage): Promise<number> {
  const { where, values } = conditionOf(page);
  const { rows } = await client.query<{ total: number }>(`select count(*) as total ${where}`, values);
  return rows[0]?.total ?? 0;
}

/** Counts the records that were skipped, and applied with a warning, for each code. */
async function countByCode(client: Client, { accountId, importUuid }: RecordPage): Promise<CodeCount[]> {
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

// A record takes a few hundred bytes, so this many fit well within the message limit of 64 MiB.
const MAX_RECORDS = 10_000;
const OUTCOMES: ReadonlySet<string> = new Set(['', 'created', 'updated', 'unchanged', 'reactivated', 'skipped', 'warning']);

/** Returns the summary of an import, and a page of its records. */
export const showImport =
  (pool: Pool) =>
  async (request: ShowImportRequest, call: CallContext): Promise<ShowImportResponse> => {
    const page = checkPage(request);
    return withAccount(pool, call, page.accountId, (client) => read(client, page));
  };

function checkPage(request: ShowImportRequest): RecordPage {
  const { account_id, import_uuid, records_limit, records_after, outcome, code, search } = request;
  checkUuid(import_uuid, 'import_uuid');
  const limit = records_limit ?? MAX_RECORDS;
  const after = records_after ?? -1;
  if (limit < 0 || limit > MAX_RECORDS) throw invalid(`records_limit must be 0 to ${MAX_RECORDS}`);
  if (after < -1 || after > 2 ** 31 - 1) throw invalid('records_after must be the index of a record');
  if (!OUTCOMES.has(outcome ?? '')) throw invalid('outcome must be an outcome of a record, or warning');
  const filters = { outcome: outcome ?? '', code: code ?? '', search: search ?? '' };
  return { accountId: account_id, importUuid: import_uuid, limit, after, ...filters };
}

async function read(client: Client, page: RecordPage): Promise<ShowImportResponse> {
  const summary = await findImport(client, page.accountId, page.importUuid);
  // Records belong to a completed import: records that were committed between the two queries are
  // left out.
  if (summary.state === 'accepted') return { summary, records: [], records_total: 0, counts_by_code: [] };
  return {
    summary,
    records: await importRecords(client, page),
    records_total: await countImportRecords(client, page),
    counts_by_code: await countByCode(client, page),
  };
}
