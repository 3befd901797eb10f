import type { Queryable } from '@survey/postgres/database.ts';

export interface Usage {
  account_id: number;
  key_id: string;
  succeeded: number;
  rejected: number;
  throttled: number;
  failed: number;
  last_used_at: string;
}

/** Adds counts to the daily usage of keys. */
export async function addKeyUsage(db: Queryable, usage: readonly Usage[]): Promise<void> {
  await db.query('select admin.add_key_usage($1::jsonb)', [JSON.stringify(usage)]);
}
