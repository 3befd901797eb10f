import type { Queryable } from '@survey/postgres/database.ts';
import type { Usage } from '../key-usage.ts';

/** Adds counts to the daily usage of keys. */
export async function addKeyUsage(db: Queryable, usage: readonly Usage[]): Promise<void> {
  await db.query('select admin.add_key_usage($1::jsonb)', [JSON.stringify(usage)]);
}
