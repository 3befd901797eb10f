import type { Client } from '@survey/postgres/database.ts';

/** No statement of this transaction goes on after the deadline. */
export async function limitStatements(tx: Client, deadline: Date): Promise<void> {
  const leftMs = Math.max(1, deadline.getTime() - Date.now());
  await tx.query("select set_config('statement_timeout', $1, true)", [String(leftMs)]);
}
