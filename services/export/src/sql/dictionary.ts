import type { Queryable } from '@survey/postgres/database.ts';

export type OptionRow = [id: number, name: string, attributeId: number, attributeName: string];

const OPTIONS = `
select o.id, o.name, a.id, a.name
from imports.attribute_option o
join imports.attribute a on a.account_id = o.account_id and a.id = o.attribute_id
where o.account_id = $1::bigint and o.id = any($2::integer[])`;

/** Returns the current names of these options, each with its attribute. */
export async function readOptions(db: Queryable, accountId: number, ids: readonly number[]): Promise<OptionRow[]> {
  const { rows } = await db.query<OptionRow>({ text: OPTIONS, values: [accountId, ids], rowMode: 'array' });
  return rows;
}
