import type { Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { AnonymityReport, ReportAnonymityRequest } from '@survey/proto/admin/v1/admin.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import { withAccount } from '../account.ts';
import { listCycleReleases, listGuardSettings } from '../sql/anonymity-report.ts';

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
