import type { Version } from '@survey/bus/facts/version.ts';
import type { Client } from '@survey/postgres/database.ts';

interface SavedResponse extends Version {
  readonly id: string;
  readonly cycle: number;
  readonly respondent: number;
  readonly employeeId: number;
  readonly optionSet: number;
  readonly imported: boolean;
  // Microseconds since 1970.
  readonly submittedUs: number;
}

// With "offset 0": one index lookup per response (docs/adr/0029-no-plan-depends-on-neighbours.md).
export const KNOWN_VERSIONS = `
select r.id, r.revision, r.digest
from unnest($2::uuid[]) as wanted (id) cross join lateral (
  select id, revision, digest from text.response where account_id = $1::bigint and id = wanted.id offset 0) r`;

/** Returns the ingested revisions of these responses by id. */
export async function readKnownVersions(tx: Client, accountId: number, ids: readonly string[]): Promise<Map<string, Version>> {
  const { rows } = await tx.query<Version & { id: string }>(KNOWN_VERSIONS, [accountId, ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

// The options of the first revision are kept as long as the respondent is the same.
export const SAVE_RESPONSES = `
insert into text.response as kept (account_id, id, revision, digest, cycle, respondent, option_set, imported, submitted_month, language)
select $1::bigint, f.id, f.revision, f.digest, f.cycle, f.respondent, f.option_set, f.imported,
  date_trunc('month', timestamp 'epoch' + f.submitted_us * interval '1 microsecond')::date, coalesce(e.language, i.default_language)
from unnest($2::uuid[], $3::bigint[], $4::bytea[], $5::integer[], $6::integer[], $7::integer[], $8::boolean[], $9::bigint[],
  $10::bigint[]) f (id, revision, digest, cycle, respondent, option_set, imported, employee, submitted_us)
left join lateral (select language from imports.employee where account_id = $1::bigint and id = f.employee offset 0) e on true
left join admin.integration i on i.account_id = $1::bigint
on conflict (account_id, id) do update set revision = excluded.revision, digest = excluded.digest, cycle = excluded.cycle,
  respondent = excluded.respondent, imported = excluded.imported, submitted_month = excluded.submitted_month, language = excluded.language,
  option_set = case when kept.respondent = excluded.respondent then kept.option_set else excluded.option_set end`;

export async function saveResponses(tx: Client, accountId: number, responses: readonly SavedResponse[]): Promise<void> {
  await tx.query(SAVE_RESPONSES, [
    accountId,
    responses.map(({ id }) => id),
    responses.map(({ revision }) => revision),
    responses.map(({ digest }) => digest),
    responses.map(({ cycle }) => cycle),
    responses.map(({ respondent }) => respondent),
    responses.map(({ optionSet }) => optionSet),
    responses.map(({ imported }) => imported),
    responses.map(({ employeeId }) => employeeId),
    responses.map(({ submittedUs }) => submittedUs),
  ]);
}
