import type { AccountReader } from '@survey/postgres/replica/reader.ts';
import type { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import { toPage } from '@survey/rpc/page.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { conditionalPage } from './conditional-page.ts';
import { type List, readList, utc } from './read-list.ts';

/** GET /v1/surveys (docs/rules/resources.md), sorted by id. */
export function listSurveys(read: AccountReader): Handlers<ExportServiceDefinition>['listSurveys'] {
  return (request, call) =>
    conditionalPage(request, call, {
      read,
      sources: ['survey', 'employee'],
      load: (client, accountId) => readList(client, SURVEYS, request, [accountId, request.created_after, request.is_archived]),
      render: ({ totalCount, rows }) => toPage(JSON.stringify({ total_count: totalCount, surveys: rows }), request.accept_gzip),
    });
}

// Employees with an import_id are listed once they exist. "offset 0" forces one index
// lookup each (packages/bus/src/facts/employees.ts).
const ACCESS = `(
  select coalesce(json_agg(id order by id), '[]') from (
    select unnest(s.access_employee_ids) as id
    union
    select e.id from unnest(s.access_import_ids) as access (import_id) cross join lateral (
      select e.id from imports.employee e
      where e.account_id = $1::bigint and e.created_via = 'import_api' and e.import_id = access.import_id offset 0
    ) e
  ) access
)`;

// Null for a survey that started on created_at, whether the fact says so or omits it.
const START_AT = 'nullif(s.start_at, s.created_at)';

/** Survey (docs/rules/resources.md). $2: created at or after, $3: is archived. */
const SURVEYS: List = {
  matching: `export.survey s
    where s.account_id = $1::bigint
      and ($2::timestamptz is null or s.created_at >= $2::timestamptz)
      and ($3::boolean is null or s.is_archived = $3::boolean)`,
  fields: `s.id, s.import_id, s.name, s.frequency,
    ${utc('s.created_at')} as created_at, ${utc(START_AT)} as start_at, ${utc('s.end_at')} as end_at,
    ${utc('s.archived_at')} as archived_at, ${utc('s.current_survey_ends_at')} as current_survey_ends_at,
    ${utc('s.next_survey_starts_at')} as next_survey_starts_at, s.is_archived, s.is_deactivated,
    json_build_object('employees_with_access_to_results', ${ACCESS}) as permissions, s.survey_properties`,
  order: 's.id',
};
