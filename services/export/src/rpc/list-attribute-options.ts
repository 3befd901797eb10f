import { inAccountSnapshot, type Pool } from '@survey/postgres/database.ts';
import { accountOf } from '@survey/rpc/call-context.ts';
import type { ExportServiceDefinition } from '@survey/rpc/gen/survey/export/v1/export.ts';
import { notFound } from '@survey/rpc/application-error.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { toPage } from '@survey/rpc/page.ts';
import { ATTRIBUTE_OPTIONS, findReleased } from '../sql/attributes.ts';
import { readList } from '../sql/read-list.ts';

/**
 * GET /v1/attributes/{attribute_id}/options (docs/rules/attributes.md), sorted by id. The error is
 * the same for all causes (rule ATTRIBUTES-RELEASE-2).
 */
export function listAttributeOptions(pool: Pool): Handlers<ExportServiceDefinition>['listAttributeOptions'] {
  return async ({ limit, offset, accept_gzip, attribute_id }, call) => {
    const accountId = accountOf(call);
    const { attribute, options } = await inAccountSnapshot(
      pool,
      accountId,
      async (client) => {
        const attribute = await findReleased(client, accountId, attribute_id);
        if (attribute === undefined) throw notFound('There is no such attribute, or it is not released for API use.');
        return { attribute, options: await readList(client, ATTRIBUTE_OPTIONS, { limit, offset }, [accountId, attribute_id]) };
      },
      call,
    );
    return toPage(JSON.stringify({ attribute, total_count: options.totalCount, options: options.rows }), accept_gzip);
  };
}
