import type { Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { ListAttributesRequest, ListAttributesResponse } from '@survey/proto/admin/v1/admin.ts';
import { withAccount } from '../account.ts';
import { countedAttributes } from '../sql/attributes.ts';

/** Returns an account's attributes, sorted by id, and since when each is released for API use. */
export const listAttributes =
  (pool: Pool) =>
  ({ account_id: accountId }: ListAttributesRequest, call: CallContext): Promise<ListAttributesResponse> =>
    withAccount(pool, call, accountId, async (client) => ({ attributes: await countedAttributes(client, accountId) }));
