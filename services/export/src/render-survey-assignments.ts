import type { SurveyAssignmentsPage } from './sql/survey-assignments-page.ts';

/**
 * Renders the response of GET /v1/survey_assignments as JSON texts (docs/rules/resources.md). None
 * of its values needs escaping.
 */
export function* renderSurveyAssignments({ totalCount, rows }: SurveyAssignmentsPage): Generator<string> {
  yield `{"total_count":${totalCount},"survey_assignments":[`;
  for (const [index, [id, surveyId, createdAt, deletedAt, employeeId]] of rows.entries()) {
    yield (
      `${index === 0 ? '' : ','}{"id":${id},"survey_id":${surveyId},"created_at":${withZ(createdAt)}` +
      `,"deleted_at":${deletedAt === null ? 'null' : withZ(deletedAt)},"employee_id":${employeeId}}`
    );
  }
  yield ']}';
}

function withZ(time: string): string {
  return `${time.slice(0, -1)}Z"`;
}
