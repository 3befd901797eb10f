import type { Client, Pool } from '@survey/postgres/database.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { AnonymityReport, CycleRelease, GuardSetting, ReportAnonymityRequest } from '@survey/proto/admin/v1/admin.ts';
import { utc } from '../sql-text.ts';
import { withAccount } from '../with-account.ts';

const SETTINGS = `
select version, disclosure_guard, guard_settling_hours, ${utc('changed_at')} as changed_at
from (
  select *, lag(disclosure_guard, 1, 'off') over (order by version) as guard_before,
    lag(guard_settling_hours, 1, 24) over (order by version) as hours_before,
    lag(guard_decided, 1, false) over (order by version) as decided_before
  from admin.settings where account_id = $1::bigint
) s
where disclosure_guard <> guard_before or guard_settling_hours <> hours_before or guard_decided <> decided_before
order by version`;

/** Returns the versions of the settings that decided about or changed the guard, oldest first. */
async function listGuardSettings(client: Client, accountId: number): Promise<GuardSetting[]> {
  const { rows } = await client.query<GuardSetting>(SETTINGS, [accountId]);
  return rows;
}

const CYCLES = `
select to_char(c.day, 'YYYY-MM-DD') as day, c.survey_id, c.id as cycle_id,
  c.released as scores_released, c.too_few as scores_too_few, c.dominated as scores_dominated, c.late as scores_late,
  coalesce(t.released, 0)::integer as texts_released, coalesce(t.withheld, 0)::integer as texts_withheld
from (
  select *, ((timestamptz 'epoch' + closed_us * interval '1 microsecond') at time zone 'utc')::date as day
  from scoring.settled_cycle where account_id = $1::bigint and judged_thresholds is not null
) c
left join lateral (
  select sum(n.withheld) as withheld, sum((
    select count(distinct b.question_id) from text.block b where b.account_id = $1::bigint and b.cycle = n.ordinal)) as released
  from text.cycle n where n.account_id = $1::bigint and n.cycle_id = c.id
) t on true
where ($2::date is null or c.day >= $2::date) and ($3::date is null or c.day <= $3::date)
order by c.day, c.survey_id, c.id`;

/** Returns the settled cycles that closed in these days, with numbers of questions only. */
async function listCycleReleases(
  client: Client,
  accountId: number,
  { from, to }: { readonly from: string | null; readonly to: string | null },
): Promise<CycleRelease[]> {
  const { rows } = await client.query<CycleRelease>(CYCLES, [accountId, from, to]);
  return rows;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Returns what the disclosure guard released and withheld, by cycle, and its settings. */
export const reportAnonymity =
  (pool: Pool) =>
  async ({ account_id: accountId, from, to }: ReportAnonymityRequest, call: CallContext): Promise<AnonymityReport> => {
    for (const day of [from, to])
      if (day != null && !(DAY.test(day) && Number.isFinite(Date.parse(day))))
        throw invalid('from and to must be days such as 2026-11-01');
    return withAccount(pool, call, accountId, async (client) => ({
      settings: await listGuardSettings(client, accountId),
      cycles: await listCycleReleases(client, accountId, { from: from ?? null, to: to ?? null }),
    }));
  };
