import type { AccountReader } from '@survey/postgres/replica.ts';
import { accountOf } from '@survey/rpc/call-context.ts';
import type { ExportServiceDefinition } from '@survey/rpc/gen/survey/export/v1/export.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { toPage } from '@survey/rpc/page.ts';
import { readSurveyAssignmentsPage } from '../sql/survey-assignments-page.ts';

/**
 * GET /v1/survey_assignments (docs/rules/resources.md), sorted by id, including ended ones (rule
 * ASSIGNMENTS-LIST-1).
 */
export function listSurveyAssignments(read: AccountReader): Handlers<ExportServiceDefinition>['listSurveyAssignments'] {
  return async ({ limit, offset, accept_gzip, survey_id }, call) => {
    const accountId = accountOf(call);
    const surveyId = survey_id ?? undefined;
    const { totalCount, records } = await read(
      accountId,
      (client) => readSurveyAssignmentsPage(client, { accountId, limit, offset, surveyId }),
      { deadline: call.deadline, keepsPlans: true },
    );
    return toPage(`{"total_count":${totalCount},"survey_assignments":[${records}]}`, accept_gzip);
  };
}
