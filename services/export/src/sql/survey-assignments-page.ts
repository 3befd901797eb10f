import { withName, type Client } from '@survey/postgres/database.ts';
import { seekInBlocks } from './seek-in-blocks.ts';
import { utcJson } from './utc.ts';

export interface SurveyAssignmentsPage {
  totalCount: number;
  rows: readonly SurveyAssignmentRow[];
}

// PostgreSQL's text form, which for numbers equals JSON; datetimes as JSON strings without their Z.
type SurveyAssignmentRow = [
  id: string,
  surveyId: string,
  createdAt: string,
  deletedAt: string | null,
  employeeId: string,
  totalCount: number,
];
type EmptyPageRow = [null, null, null, null, null, totalCount: number];

const blocks = (survey: string): string =>
  `select level, block, row_count from export.assignment_block where account_id = $1::bigint and survey_id = ${survey}`;

const page = (survey: string, filter: string): string => `
with ${seekInBlocks(blocks(survey), '$2::bigint')}
select a.id::text, a.survey_id::text, ${utcJson('a.created_at')}, ${utcJson('a.deleted_at')}, a.employee_id::text, total.count
from total
left join page_start on true
left join lateral (
  select *
  from export.assignment
  where account_id = $1::bigint and id >= page_start.first_id ${filter}
  order by id
  limit $3::bigint offset page_start.skip
) a on true
order by a.id`;

// The counts of survey 0 cover all surveys.
export const SURVEY_ASSIGNMENTS_PAGE = page('0', '');
export const SURVEY_ASSIGNMENTS_OF_SURVEY_PAGE = page('$4::bigint and survey_id > 0', 'and survey_id = $4::bigint');

/** Returns one page of the account's assignments, sorted by id, of one survey or of all. */
export async function readSurveyAssignmentsPage(
  db: Client,
  { accountId, limit, offset, surveyId }: { accountId: number; limit: number; offset: number; surveyId: number | undefined },
): Promise<SurveyAssignmentsPage> {
  const [name, text, filter] =
    surveyId === undefined
      ? ['survey_assignments_page', SURVEY_ASSIGNMENTS_PAGE, []]
      : ['survey_assignments_of_survey_page', SURVEY_ASSIGNMENTS_OF_SURVEY_PAGE, [surveyId]];
  const query = { text, values: [accountId, offset, limit, ...filter], rowMode: 'array' as const };
  const { rows } = await db.query<SurveyAssignmentRow | EmptyPageRow>(await withName(db, name, query));
  return { totalCount: rows[0]?.[5] ?? 0, rows: rows.filter((row) => row[0] !== null) };
}
