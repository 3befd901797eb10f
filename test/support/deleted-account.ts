import type { Queryable } from '@survey/postgres/database.ts';

// What proves the deletion stays, and messages and claims of work, which hold ids and end by
// themselves.
const KEPT = /^admin\.(account|account_deletion|audit)$|\.(deleted_rows|outbox|event_sequence|due)$/;

/** Returns the tables with rows of the account, except those that outlive its deletion. */
export async function tablesWithData(db: Queryable, accountId: number): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select attrelid::regclass::text as name from pg_attribute join pg_class c on c.oid = attrelid
     where attname = 'account_id' and not attisdropped and c.relkind in ('r', 'p') order by 1`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const { rowCount } = await db.query(`select from ${name} where account_id = $1 limit 1`, [accountId]);
    if (rowCount !== 0 && !KEPT.test(name)) found.push(name);
  }
  return found;
}

/** Returns whether the deletion has finished; makes it begin at once instead of after 15 s. */
export async function isDeleted(db: Queryable, accountId: number): Promise<boolean> {
  await endSettling(db, accountId);
  const finished = 'select from admin.account_deletion where account_id = $1 and finished_at is not null';
  return (await db.query(finished, [accountId])).rowCount === 1;
}

/** Ends the 15 s in which transactions that began before the closing may still add rows. */
export async function endSettling(db: Queryable, accountId: number): Promise<void> {
  await db.query(
    `update admin.account set closed_at = closed_at - interval '15 s' where account_id = $1 and closed_at > now() - interval '15 s'`,
    [accountId],
  );
  for (const schema of ['export', 'imports', 'scoring', 'text'])
    await db.query(
      `update ${schema}.due set due_at = now()
       where account_id = $1 and kind = 'delete-account' and due_at between now() and now() + interval '1 minute'`,
      [accountId],
    );
}
