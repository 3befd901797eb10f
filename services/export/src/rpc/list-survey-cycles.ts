import type { AccountReader } from '@survey/postgres/replica.ts';
import { accountOf } from '@survey/rpc/call-context.ts';
import type { ExportServiceDefinition } from '@survey/rpc/gen/survey/export/v1/export.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { toPage } from '@survey/rpc/page.ts';
import { SURVEY_CYCLES } from '../sql/survey-cycles.ts';
import { readList } from '../sql/read-list.ts';

/** GET /v1/survey_cycles (docs/rules/resources.md), last opened first (rule CYCLES-LIST-1). */
export function listSurveyCycles(read: AccountReader): Handlers<ExportServiceDefinition>['listSurveyCycles'] {
  return async ({ limit, offset, accept_gzip, survey_id }, call) => {
    const accountId = accountOf(call);
    const { totalCount, rows } = await read(
      accountId,
      (client) => readList(client, SURVEY_CYCLES, { limit, offset }, [accountId, survey_id]),
      call,
    );
    return toPage(JSON.stringify({ total_count: totalCount, cycles: rows }), accept_gzip);
  };
}
