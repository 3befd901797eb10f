import type { Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { ListOffboardedRequest, ListOffboardedResponse } from '@survey/proto/admin/v1/admin.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import { withAccount } from '../account.ts';
import { findImport } from '../sql/find-import.ts';
import { countOffboarded, readOffboarded, sharedValues, type OffboardedPage } from '../sql/offboarded.ts';
import { checkUuid } from '../uuid.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 10_000;

/**
 * Returns the employees that an import offboarded or would have offboarded, and what they have in
 * common.
 */
export const listOffboarded =
  (pool: Pool) =>
  async (request: ListOffboardedRequest, call: CallContext): Promise<ListOffboardedResponse> => {
    const page = checkPage(request);
    return withAccount(pool, call, page.accountId, async (client) => {
      await findImport(client, page.accountId, page.importUuid);
      return {
        employees: await readOffboarded(client, page),
        total: await countOffboarded(client, page),
        shared: page.after === 0 && page.search === '' ? await sharedValues(client, page.accountId, page.importUuid) : [],
      };
    });
  };

function checkPage({ account_id, import_uuid, search, limit, after }: ListOffboardedRequest): OffboardedPage {
  checkUuid(import_uuid, 'import_uuid');
  const atMost = limit ?? DEFAULT_LIMIT;
  if (atMost < 0 || atMost > MAX_LIMIT) throw invalid(`limit must be 0 to ${MAX_LIMIT}`);
  return { accountId: account_id, importUuid: import_uuid, search: search ?? '', limit: atMost, after: after ?? 0 };
}
