import { normaliseAttributeName } from '@survey/formats/attribute-name.ts';
import type { Client, Pool } from '@survey/postgres/database.ts';
import { notFound } from '@survey/rpc/application-error.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type {
  Attribute,
  ListAttributesRequest,
  ListAttributesResponse,
  ReleaseAttributeRequest,
  WithdrawAttributeRequest,
} from '@survey/proto/admin/v1/admin.ts';
import { audit } from '../audit/write-audit.ts';
import { utc } from '../utc-text.ts';
import { withAccount, withLockedAccount } from '../with-account.ts';

const SELECT = `select attribute.id as attribute_id, attribute.name, ${utc('released.released_at')} as released_at
  from imports.attribute
  left join admin.released_attribute released
    on released.account_id = attribute.account_id and released.attribute_id = attribute.id
  where attribute.account_id = $1::bigint`;

/** Returns all attributes of the account, released or not. */
export async function attributesOf(client: Client, accountId: number): Promise<Attribute[]> {
  const { rows } = await client.query<Attribute>(`${SELECT} order by attribute.id`, [accountId]);
  return rows;
}

// One pass over the employees, whose rows contain the ids of their values.
const COUNTS = `with held as (
    select h.option_id, count(*) as employees
    from imports.employee e, unnest(e.option_ids) as h (option_id)
    where e.account_id = $1::bigint and not e.is_deleted group by h.option_id
  )
  select o.attribute_id, count(*) as values, sum(h.employees)::bigint as employees,
    count(*) filter (where h.employees < 5) as rare_values
  from held h join imports.attribute_option o on o.account_id = $1::bigint and o.id = h.option_id
  group by o.attribute_id`;

/** Returns all attributes of the account, with the number of values and employees of each. */
async function countedAttributes(client: Client, accountId: number): Promise<Attribute[]> {
  const { rows } = await client.query<Required<Pick<Attribute, 'attribute_id' | 'values' | 'employees' | 'rare_values'>>>(
    COUNTS,
    [accountId],
  );
  const counts = new Map(rows.map((row) => [row.attribute_id, row]));
  const none = { values: 0, employees: 0, rare_values: 0 };
  return (await attributesOf(client, accountId)).map((attribute) => ({
    ...attribute,
    ...none,
    ...counts.get(attribute.attribute_id),
  }));
}

/**
 * Returns the attribute with this name, matched as in an import (rule IMPORT-ATTRIBUTES-NAMES-1).
 * @throws `not_found`
 */
export async function findAttribute(client: Client, accountId: number, name: string): Promise<Attribute> {
  const { rows } = await client.query<Attribute>(`${SELECT} and attribute.name_key = $2::text`, [
    accountId,
    normaliseAttributeName(name),
  ]);
  if (rows[0] === undefined) throw notFound(`account ${accountId} has no attribute with this name: see attribute list`);
  return rows[0];
}

/** Returns an account's attributes, sorted by id, and since when each is released for API use. */
export const listAttributes =
  (pool: Pool) =>
  ({ account_id: accountId }: ListAttributesRequest, call: CallContext): Promise<ListAttributesResponse> =>
    withAccount(pool, call, accountId, async (client) => ({ attributes: await countedAttributes(client, accountId) }));

const RELEASE = 'insert into admin.released_attribute (account_id, attribute_id) values ($1::bigint, $2::integer)';

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
      await client.query(RELEASE, [accountId, before.attribute_id]);
      const after = await findAttribute(client, accountId, name);
      await audit(client, call, { accountId, action: 'attribute.release', before, after });
      return after;
    });

const WITHDRAW = 'delete from admin.released_attribute where account_id = $1::bigint and attribute_id = $2::integer';

/**
 * Withdraws an attribute from API use, from the next request on (rule ATTRIBUTES-RELEASE-3).
 * Idempotent.
 */
export const withdrawAttribute =
  (pool: Pool) =>
  ({ account_id: accountId, name }: WithdrawAttributeRequest, call: CallContext): Promise<Attribute> =>
    withLockedAccount(pool, call, accountId, async (client) => {
      const before = await findAttribute(client, accountId, name);
      const { rowCount } = await client.query(WITHDRAW, [accountId, before.attribute_id]);
      if (rowCount === 0) return before;
      const after = await findAttribute(client, accountId, name);
      await audit(client, call, { accountId, action: 'attribute.withdraw', before, after });
      return after;
    });
