import { inAccountSnapshot, type Pool } from '@survey/postgres/database.ts';
import { accountOf } from '@survey/rpc/call-context.ts';
import type { ExportServiceDefinition } from '@survey/rpc/gen/survey/export/v1/export.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { toPage } from '@survey/rpc/page.ts';
import { ATTRIBUTES } from '../sql/attributes.ts';
import { readList } from '../sql/read-list.ts';

/** GET /v1/attributes (docs/rules/attributes.md), sorted by id. */
export function listAttributes(pool: Pool): Handlers<ExportServiceDefinition>['listAttributes'] {
  return async ({ limit, offset, accept_gzip }, call) => {
    const accountId = accountOf(call);
    const { totalCount, rows } = await inAccountSnapshot(
      pool,
      accountId,
      (client) => readList(client, ATTRIBUTES, { limit, offset }, [accountId]),
      call,
    );
    return toPage(JSON.stringify({ total_count: totalCount, attributes: rows }), accept_gzip);
  };
}
