import type { AccountWork } from '@survey/bus/account-work.ts';
import { retentionWork } from '@survey/bus/retention.ts';
import type { Client, Pool } from '@survey/postgres/database.ts';
import { markDue } from '@survey/postgres/due.ts';
import type { Metrics } from '@survey/process/metrics.ts';
import { AccountBusyError, readAccountState } from '../tables/account-lock.ts';
import { emptyEmployee, lockWithoutImport } from './erase-employee-data.ts';

const MAX_UNFINISHED = 20;
const RETRY_MS = 10_000;

/**
 * Begins the erasure of employees who were offboarded longer ago than their account keeps them
 * (rule DATA-RETENTION-1). Their rows are emptied at once, because an import could otherwise bring
 * back an employee whose erasure is requested.
 */
export function offboardedRetention(pool: Pool, defaultDays: number, metrics: Metrics): AccountWork {
  const retention = {
    kind: 'offboarded',
    expired: 'imports.expired_offboarded',
    defaultDays,
    deleteExpired: async (tx, accountId) => {
      if ((await readAccountState(tx, accountId)) === undefined) return undefined;
      if (!(await lockWithoutImport(tx, accountId))) return RETRY_MS;
      const requestedIds = await requestExpired(tx, accountId, { defaultDays, maxUnfinished: MAX_UNFINISHED });
      if (requestedIds.length === 0) return undefined;
      for (const id of requestedIds) await emptyEmployee(tx, accountId, id);
      await markDue(tx, 'imports', 'erase-employee', [accountId]);
      return RETRY_MS;
    },
  } satisfies Parameters<typeof retentionWork>[1];
  const expiry = retentionWork(pool, retention, metrics);
  const work = (accountId: number) =>
    expiry.work(accountId).catch((error: unknown) => {
      if (error instanceof AccountBusyError) return RETRY_MS;
      throw error;
    });
  return { ...expiry, work };
}

const REQUEST_EXPIRED = `
with expired as (
  select e.id, e.offboarded_at from imports.employee e
  where e.account_id = $1::bigint
    and e.offboarded_at < now() - $2::float8 * interval '1 day'
    and not exists (select from imports.erased_employee x where x.account_id = $1::bigint and x.employee_id = e.id)
  order by e.offboarded_at limit greatest(0, $3::bigint - (
    select count(*) from imports.erased_employee x where x.account_id = $1::bigint and x.finished_at is null))
)
insert into imports.erased_employee (account_id, employee_id, answers, may_return, offboarded_at)
select $1::bigint, e.id, coalesce(
    (select s.erased_answers from admin.settings s where s.account_id = $1::bigint order by s.version desc limit 1), 'anonymise'),
  true, e.offboarded_at
from expired e returning employee_id as id`;

// Requests erasures until `maxUnfinished` of them are unfinished. Returns whose.
async function requestExpired(
  tx: Client,
  accountId: number,
  { defaultDays, maxUnfinished }: { readonly defaultDays: number; readonly maxUnfinished: number },
): Promise<number[]> {
  const retention = await tx.query<{ days: number | null }>(
    "select admin.retention_days($1::bigint, 'offboarded', $2::float8) as days",
    [accountId, defaultDays],
  );
  const { rows } = await tx.query<{ id: number }>(REQUEST_EXPIRED, [accountId, retention.rows[0]?.days, maxUnfinished]);
  return rows.map(({ id }) => id);
}
