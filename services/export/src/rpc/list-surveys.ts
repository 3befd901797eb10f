import type { AccountReader } from '@survey/postgres/replica.ts';
import { accountOf } from '@survey/rpc/call-context.ts';
import type { ExportServiceDefinition } from '@survey/rpc/gen/survey/export/v1/export.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { toPage } from '@survey/rpc/page.ts';
import { SURVEYS } from '../sql/surveys.ts';
import { readList } from '../sql/read-list.ts';

/** GET /v1/surveys (docs/rules/resources.md), sorted by id. */
export function listSurveys(read: AccountReader): Handlers<ExportServiceDefinition>['listSurveys'] {
  return async ({ limit, offset, accept_gzip, created_after, is_archived }, call) => {
    const accountId = accountOf(call);
    const { totalCount, rows } = await read(
      accountId,
      (client) => readList(client, SURVEYS, { limit, offset }, [accountId, created_after, is_archived]),
      call,
    );
    return toPage(JSON.stringify({ total_count: totalCount, surveys: rows }), accept_gzip);
  };
}
