import { normaliseAttributeName } from '@survey/attribute-name/normalise.ts';
import type { Client } from '@survey/postgres/database.ts';
import type { Attribute } from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import { notFound } from '@survey/rpc/refusal.ts';
import { utc } from './utc.ts';

const SELECT = `select attribute.id as attribute_id, attribute.name, ${utc('released.released_at')} as released_at
  from imports.attribute
  left join admin.released_attribute released
    on released.account_id = attribute.account_id and released.attribute_id = attribute.id
  where attribute.account_id = $1::bigint`;

/** All attributes of the account, released or not. */
export async function attributesOf(client: Client, accountId: number): Promise<Attribute[]> {
  const { rows } = await client.query<Attribute>(`${SELECT} order by attribute.id`, [accountId]);
  return rows;
}

/** The attribute of that name, matched as loosely as an import does (interface.md, field rule 6). Refuses with not_found. */
export async function findAttribute(client: Client, accountId: number, name: string): Promise<Attribute> {
  const { rows } = await client.query<Attribute>(`${SELECT} and attribute.name_key = $2::text`, [
    accountId,
    normaliseAttributeName(name),
  ]);
  if (rows[0] === undefined) throw notFound(`account ${accountId} has no attribute of that name: see attribute list`);
  return rows[0];
}
