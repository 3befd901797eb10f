import type { AccountWork } from '@survey/bus/account-work.ts';
import { allowLongStatements, type Client, inAccount, type Pool } from '@survey/postgres/database.ts';
import { FIRST_NAMED_ID } from '../rules/dictionary-ids.ts';
import { AccountBusyError, lockForFacts } from '../tables/account-lock.ts';

const BUSY_RETRY_MS = 60_000;
// Enough to read the options of all employees.
const MAX_STATEMENT_MS = 60_000;
const DELETED_AT_ONCE = 300_000;

/**
 * Deletes, once a day, the values of attributes that nobody has had for as long as the account
 * keeps outcomes of imports (rule DATA-RETENTION-4), and former import_ids that facts may no longer
 * name (rule IMPORT-IDENTITY-17).
 */
export function unusedValues(pool: Pool, defaultDays: number): AccountWork {
  return {
    kind: 'unused-values',
    concurrency: 1,
    sweep: async () => {
      const { rows } = await pool.query<{ id: number }>('select id from imports.accounts_with_options_to_check() as id');
      return rows.map(({ id }) => id);
    },
    work: async (accountId) => {
      try {
        await inAccount(pool, accountId, (tx) => markUnused(tx, accountId));
        return await inAccount(pool, accountId, (tx) => deleteUnused(tx, accountId, defaultDays));
      } catch (error) {
        if (error instanceof AccountBusyError) return BUSY_RETRY_MS;
        throw error;
      }
    },
  };
}

// An import or a fact that uses an option again clears its time (stored-dictionary.ts), so that an
// option that was used between two checks begins anew.
const MARK = `
with used as materialized (
  select distinct o.id from imports.employee e cross join lateral unnest(e.option_ids || e.granted_option_ids) as o (id)
  where e.account_id = $1::bigint
), wanted as materialized (
  select o.id, u.id is null as is_unused
  from imports.attribute_option o left join used u on u.id = o.id
  where o.account_id = $1::bigint and (o.unused_since is null) = (u.id is null)
)
update imports.attribute_option o set unused_since = now() + case when w.is_unused then interval '0' end
from wanted w where o.account_id = $1::bigint and o.id = w.id`;

// Options that facts have named keep their ids for ever: the same name would get the same id again.
// Options that an admin has merged others into stay, because their former names still mean them.
const EXPIRED = `
select o.id from imports.attribute_option o
where o.account_id = $1::bigint and o.id < ${FIRST_NAMED_ID} and o.unused_since < now() - $2::float8 * interval '1 day'
  and not exists (select from imports.option_alias m where m.account_id = $1::bigint and m.option_id = o.id)
limit ${DELETED_AT_ONCE}`;

async function markUnused(tx: Client, accountId: number): Promise<void> {
  await lockForFacts(tx, accountId);
  await allowLongStatements(tx, MAX_STATEMENT_MS);
  await tx.query('delete from imports.former_import_id where account_id = $1::bigint and ends_at < now()', [accountId]);
  await tx.query(MARK, [accountId]);
}

// Apart from the marks: on Citus, no function of another role reads what a transaction has written.
async function deleteUnused(tx: Client, accountId: number, defaultDays: number): Promise<number | undefined> {
  await lockForFacts(tx, accountId);
  await allowLongStatements(tx, MAX_STATEMENT_MS);
  const unused = await findUnused(tx, accountId, defaultDays);
  await tx.query('delete from imports.attribute_option where account_id = $1::bigint and id = any($2::integer[])', [
    accountId,
    unused,
  ]);
  await tx.query(
    `update imports.account_state
     set options_checked_at = now(), dictionary_version = dictionary_version + $2::integer where account_id = $1::bigint`,
    [accountId, Math.sign(unused.length)],
  );
  return unused.length === DELETED_AT_ONCE ? 0 : undefined;
}

/** Returns expired values that no answer was given under. */
async function findUnused(tx: Client, accountId: number, defaultDays: number): Promise<number[]> {
  const retention = await tx.query<{ days: number }>("select admin.retention_days($1::bigint, 'outcomes', $2::float8) as days", [
    accountId,
    defaultDays,
  ]);
  const { rows } = await tx.query<{ id: number }>(EXPIRED, [accountId, retention.rows[0]?.days]);
  const expiredIds = rows.map(({ id }) => id);
  const answered = await tx.query<{ id: number }>('select id from imports.answered_options($1::bigint, $2::integer[]) as id', [
    accountId,
    expiredIds,
  ]);
  const usedIds = new Set(answered.rows.map(({ id }) => id));
  return expiredIds.filter((id) => !usedIds.has(id));
}
