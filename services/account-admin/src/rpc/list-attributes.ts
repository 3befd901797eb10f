import type { Pool } from '@survey/postgres/database.ts';
import type { ListAttributesRequest, ListAttributesResponse } from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import { readAccount } from '../account.ts';
import { attributesOf } from '../sql/attributes.ts';

/** An account's attributes by id, with whether and since when each is released for API use. */
export const listAttributes =
  (pool: Pool) =>
  ({ account_id: accountId }: ListAttributesRequest): Promise<ListAttributesResponse> =>
    readAccount(pool, accountId, async (client) => ({ attributes: await attributesOf(client, accountId) }));
