import type { Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { Account, ShowAccountRequest } from '@survey/proto/admin/v1/admin.ts';
import { withAccount } from '../account.ts';
import { countManaged, findAccount } from '../sql/accounts.ts';

/**
 * Returns one account.
 * @throws `not_found`
 */
export const showAccount =
  (pool: Pool) =>
  ({ account_id: accountId }: ShowAccountRequest, call: CallContext): Promise<Account> =>
    withAccount(pool, call, accountId, async (client) => ({
      ...(await findAccount(client, accountId)),
      managed: await countManaged(client, accountId),
    }));
