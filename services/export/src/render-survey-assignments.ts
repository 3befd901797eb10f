import type { SurveyAssignmentsPage } from './sql/survey-assignments-page.ts';

/**
 * Renders the response of GET /v1/survey_assignments as JSON text (docs/rules/resources.md). None
 * of its values needs escaping.
 */
export function renderSurveyAssignments({ totalCount, rows }: SurveyAssignmentsPage): string {
  let assignments = '';
  for (const [id, surveyId, createdAt, deletedAt, employeeId] of rows) {
    assignments +=
      `${assignments === '' ? '' : ','}{"id":${id},"survey_id":${surveyId},"created_at":${withZ(createdAt)}` +
      `,"deleted_at":${deletedAt === null ? 'null' : withZ(deletedAt)},"employee_id":${employeeId}}`;
  }
  return `{"total_count":${totalCount},"survey_assignments":[${assignments}]}`;
}

function withZ(time: string): string {
  return `${time.slice(0, -1)}Z"`;
}
