import type { Client } from '@survey/postgres/database.ts';
import type { AccountReader } from '@survey/postgres/replica/reader.ts';
import type { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import { toPage } from '@survey/rpc/page.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { conditionalPage } from './conditional-page.ts';
import { seekInBlocks } from './seek-in-blocks.ts';
import { utc } from './read-list.ts';

/**
 * GET /v1/survey_assignments (docs/rules/resources.md), sorted by id, including ended ones (rule
 * ASSIGNMENTS-LIST-1).
 */
export function listSurveyAssignments(read: AccountReader): Handlers<ExportServiceDefinition>['listSurveyAssignments'] {
  return (request, call) =>
    conditionalPage(request, call, {
      read,
      sources: ['assignment'],
      keepsPlans: true,
      load: (client, accountId) => {
        const { limit, offset, survey_id } = request;
        return readSurveyAssignmentsPage(client, { accountId, limit, offset, surveyId: survey_id ?? undefined });
      },
      render: ({ totalCount, records }) =>
        toPage(`{"total_count":${totalCount},"survey_assignments":[${records}]}`, request.accept_gzip),
    });
}

interface SurveyAssignmentsPage {
  readonly totalCount: number;
  // The contract's records as JSON, separated by commas.
  readonly records: string;
}

type PageRow = [totalCount: number, records: string];

const blocks = (survey: string): string =>
  `select level, block, row_count from export.assignment_block where account_id = $1::bigint and survey_id = ${survey}`;

// None of the values needs escaping. PostgreSQL concatenates the text of a page in the same time as
// it sends rows, in half the time of its JSON functions, and nothing remains to be parsed here.
const RECORD = `'{"id":' || id || ',"survey_id":' || survey_id || ',"created_at":"' || ${utc('created_at')}
  || '","deleted_at":' || coalesce('"' || ${utc('deleted_at')} || '"', 'null') || ',"employee_id":' || employee_id || '}'`;

const page = (survey: string, filter: string): string => `
with ${seekInBlocks(blocks(survey), '$2::bigint')}
select total.count, coalesce(page.records, '')
from total
left join page_start on true
left join lateral (
  select string_agg(${RECORD}, ',' order by id) as records
  from (
    select *
    from export.assignment
    where account_id = $1::bigint and id >= page_start.first_id ${filter}
    order by id
    limit $3::bigint offset page_start.skip
  ) a
) page on true`;

// The counts of survey 0 cover all surveys.
export const SURVEY_ASSIGNMENTS_PAGE = page('0', '');
export const SURVEY_ASSIGNMENTS_OF_SURVEY_PAGE = page('$4::bigint and survey_id > 0', 'and survey_id = $4::bigint');

/** Returns one page of the account's assignments, sorted by id, of one survey or of all. */
async function readSurveyAssignmentsPage(
  db: Client,
  { accountId, limit, offset, surveyId }: { accountId: number; limit: number; offset: number; surveyId: number | undefined },
): Promise<SurveyAssignmentsPage> {
  const [name, text, filter] =
    surveyId === undefined
      ? ['survey_assignments_page', SURVEY_ASSIGNMENTS_PAGE, []]
      : ['survey_assignments_of_survey_page', SURVEY_ASSIGNMENTS_OF_SURVEY_PAGE, [surveyId]];
  const query = { name, text, values: [accountId, offset, limit, ...filter], rowMode: 'array' as const };
  const { rows } = await db.query<PageRow>(query);
  const [totalCount, records] = rows[0] ?? [0, ''];
  return { totalCount, records };
}
