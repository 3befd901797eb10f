import type { AccountReader } from '@survey/postgres/replica.ts';
import { accountOf } from '@survey/rpc/call-context.ts';
import type { ExportServiceDefinition } from '@survey/rpc/gen/survey/export/v1/export.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { toPage } from '@survey/rpc/page.ts';
import { INITIATIVES } from '../sql/initiatives.ts';
import { readList } from '../sql/read-list.ts';

/**
 * GET /v1/initiatives (docs/rules/resources.md), newest first, including private ones (rules
 * INITIATIVES-LIST-1 and INITIATIVES-LIST-4).
 */
export function listInitiatives(read: AccountReader): Handlers<ExportServiceDefinition>['listInitiatives'] {
  return async ({ limit, offset, accept_gzip, status }, call) => {
    const accountId = accountOf(call);
    const { totalCount, rows } = await read(
      accountId,
      (client) => readList(client, INITIATIVES, { limit, offset }, [accountId, status]),
      call,
    );
    return toPage(JSON.stringify({ total_count: totalCount, initiatives: rows }), accept_gzip);
  };
}
