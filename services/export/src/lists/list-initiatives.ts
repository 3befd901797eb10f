import type { AccountReader } from '@survey/postgres/replica/reader.ts';
import type { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import { toPage } from '@survey/rpc/page.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { conditionalPage } from './conditional-page.ts';
import { type List, readList, utc } from './read-list.ts';

/**
 * GET /v1/initiatives (docs/rules/resources.md), newest first, including private ones (rules
 * INITIATIVES-LIST-1 and INITIATIVES-LIST-4).
 */
export function listInitiatives(read: AccountReader): Handlers<ExportServiceDefinition>['listInitiatives'] {
  return (request, call) =>
    conditionalPage(request, call, {
      read,
      sources: ['initiative', 'survey', 'question', 'employee'],
      load: (client, accountId) => readList(client, INITIATIVES, request, [accountId, request.status]),
      render: ({ totalCount, rows }) =>
        toPage(JSON.stringify({ total_count: totalCount, initiatives: rows }), request.accept_gzip),
    });
}

// Null for a deleted or unknown employee, too. "case" instead of "coalesce", because PostgreSQL
// does not consider the latter leakproof: it would not use the index, and would scan all employees.
const person = (id: string, importId: string): string => `(
  select json_build_object('employee_id', e.id, 'firstname', e.firstname, 'lastname', e.lastname)
  from imports.employee e
  where e.account_id = $1::bigint and not e.is_deleted and e.id = case when ${id} is not null then ${id} else (
    select k.id from imports.employee k
    where k.account_id = $1::bigint and k.created_via = 'import_api' and k.import_id = ${importId}) end
)`;

const SURVEY = `(
  select json_build_object('id', s.id, 'name', s.name)
  from export.survey s where s.account_id = $1::bigint and s.id = i.survey_id
)`;

// In the order in which the fact lists them. "offset 0" makes PostgreSQL look up one question after
// the other by its key.
const QUESTIONS = `(
  select coalesce(json_agg(json_build_object('id', q.id, 'name', q.name) order by stated.ordinal), '[]')
  from unnest(i.question_ids) with ordinality as stated (id, ordinal) cross join lateral (
    select q.id, q.name from export.question q where q.account_id = $1::bigint and q.id = stated.id offset 0
  ) q
)`;

/** Initiative (docs/rules/resources.md). $2: status. */
export const INITIATIVES: List = {
  matching: 'export.initiative i where i.account_id = $1::bigint and ($2::text is null or i.status = $2::text)',
  fields: `i.uuid, i.title, i.status, ${SURVEY} as survey, ${QUESTIONS} as questions,
    ${person('i.assignee_id', 'i.assignee_import_id')} as assignee, ${person('i.creator_id', 'i.creator_import_id')} as creator,
    i.notes, ${utc('i.completion_date')} as completion_date, ${utc('i.created_at')} as created_at,
    ${utc('i.updated_at')} as updated_at, i.is_private, i.reminder_settings, i.notification_settings`,
  order: 'i.created_at desc, i.uuid',
};
