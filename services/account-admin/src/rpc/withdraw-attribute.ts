import type { Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { Attribute, WithdrawAttributeRequest } from '@survey/proto/admin/v1/admin.ts';
import { withLockedAccount } from '../account.ts';
import { audit } from '../audit.ts';
import { findAttribute } from '../sql/attributes.ts';

const SQL = 'delete from admin.released_attribute where account_id = $1::bigint and attribute_id = $2::integer';

/**
 * Withdraws an attribute from API use, from the next request on (rule ATTRIBUTES-RELEASE-3).
 * Idempotent.
 */
export const withdrawAttribute =
  (pool: Pool) =>
  ({ account_id: accountId, name }: WithdrawAttributeRequest, call: CallContext): Promise<Attribute> =>
    withLockedAccount(pool, call, accountId, async (client) => {
      const before = await findAttribute(client, accountId, name);
      const { rowCount } = await client.query(SQL, [accountId, before.attribute_id]);
      if (rowCount === 0) return before;
      const after = await findAttribute(client, accountId, name);
      await audit(client, call, { accountId, action: 'attribute.withdraw', before, after });
      return after;
    });
