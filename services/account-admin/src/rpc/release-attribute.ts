import type { Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { Attribute, ReleaseAttributeRequest } from '@survey/proto/admin/v1/admin.ts';
import { withLockedAccount } from '../account.ts';
import { audit } from '../audit.ts';
import { findAttribute } from '../sql/attributes.ts';

const SQL = 'insert into admin.released_attribute (account_id, attribute_id) values ($1::bigint, $2::integer)';

/**
 * Releases an attribute for API use, from the next request on. Idempotent: a released one keeps its
 * time.
 */
export const releaseAttribute =
  (pool: Pool) =>
  ({ account_id: accountId, name }: ReleaseAttributeRequest, call: CallContext): Promise<Attribute> =>
    withLockedAccount(pool, call, accountId, async (client) => {
      const before = await findAttribute(client, accountId, name);
      if (typeof before.released_at === 'string') return before;
      await client.query(SQL, [accountId, before.attribute_id]);
      const after = await findAttribute(client, accountId, name);
      await audit(client, call, { accountId, action: 'attribute.release', before, after });
      return after;
    });
