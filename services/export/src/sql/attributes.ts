import type { Queryable } from '@survey/postgres/database.ts';
import type { List } from './read-list.ts';

const RELEASED = `imports.attribute a
  join admin.released_attribute r on r.account_id = a.account_id and r.attribute_id = a.id
  where a.account_id = $1::bigint`;

/** Attribute (docs/rules/attributes.md): only attributes that an account admin has released. */
export const ATTRIBUTES: List = { matching: RELEASED, fields: 'a.id, a.name', order: 'a.id' };

/** Option (docs/rules/attributes.md). $2: the attribute; callers check that it is released. */
export const ATTRIBUTE_OPTIONS: List = {
  matching: 'imports.attribute_option o where o.account_id = $1::bigint and o.attribute_id = $2::bigint',
  fields: 'o.id, o.name',
  order: 'o.id',
};

/**
 * Returns the attribute if it is released. An unreleased one cannot be distinguished from an
 * unknown one (rule ATTRIBUTES-RELEASE-2).
 */
export async function findReleased(db: Queryable, accountId: number, attributeId: number): Promise<object | undefined> {
  const { rows } = await db.query<object>(`select a.id, a.name from ${RELEASED} and a.id = $2::bigint`, [accountId, attributeId]);
  return rows[0];
}
