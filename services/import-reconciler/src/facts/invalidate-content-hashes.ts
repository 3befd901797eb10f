import type { Client } from '@survey/postgres/database.ts';

/**
 * Clears content hashes of records whose meaning may have changed, so that the next import reads
 * them again: employees whose supervisor was deleted or has an import_id that is no longer unique
 * (rules IMPORT-SUPERVISORS-5 and IMPORT-SUPERVISORS-6), and all superiors of employees with a new
 * supervisor, who may be on a cycle (rule IMPORT-SUPERVISORS-4): everybody, if they are very many.
 */
export async function invalidateContentHashes(
  tx: Client,
  accountId: number,
  changed: {
    readonly removedIds: readonly number[];
    readonly importIds: readonly string[];
    readonly supervisedIds: readonly number[];
  },
): Promise<void> {
  const { removedIds, importIds, supervisedIds } = changed;
  const supervisorIds = [...removedIds, ...(await findImported(tx, accountId, importIds))];
  if (supervisorIds.length > 0) {
    await tx.query(
      `update imports.employee set content_hash = null
       where account_id = $1 and created_via = 'import_api' and content_hash is not null and supervisor_id = any($2::bigint[])`,
      [accountId, supervisorIds],
    );
  }
  if (supervisedIds.length === 0) return;
  const { rows } = await tx.query<{ id: number }>(ABOVE, [accountId, supervisedIds]);
  if (rows.length > MAX_SUPERIORS) {
    await tx.query('update imports.employee set content_hash = null where account_id = $1 and content_hash is not null', [
      accountId,
    ]);
    return;
  }
  await tx.query(
    'update imports.employee set content_hash = null where account_id = $1 and id = any($2::bigint[]) and content_hash is not null',
    [accountId, rows.map(({ id }) => id)],
  );
}

// A chain of supervisors may be as long as an account is large.
const MAX_SUPERIORS = 5_000;
const ABOVE = `
  with recursive above as (
    select supervisor_id as id from imports.employee where account_id = $1 and id = any($2::bigint[])
    union
    select boss.id from above cross join lateral (
      select supervisor_id as id from imports.employee where account_id = $1 and id = above.id offset 0) boss
  )
  select id from above where id is not null limit ${MAX_SUPERIORS + 1}`;

async function findImported(tx: Client, accountId: number, importIds: readonly string[]): Promise<number[]> {
  if (importIds.length === 0) return [];
  const { rows } = await tx.query<{ id: number }>(
    `select id from imports.employee where account_id = $1 and created_via = 'import_api' and import_id = any($2::text[])`,
    [accountId, importIds],
  );
  return rows.map(({ id }) => id);
}
