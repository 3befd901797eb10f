import type { AccountWork } from '@survey/bus/account-work.ts';
import { retentionWork } from '@survey/bus/retention.ts';
import type { Pool } from '@survey/postgres/database.ts';
import { markDue } from '@survey/postgres/due.ts';
import type { Metrics } from '@survey/process/metrics.ts';
import { requestExpired } from './find-erased.ts';

const MAX_UNFINISHED = 100;
const UNFINISHED_RETRY_MS = 10_000;

/**
 * Requests the erasure of employees who were offboarded longer ago than their account keeps them
 * (rule DATA-RETENTION-1).
 */
export function offboardedRetention(pool: Pool, defaultDays: number, metrics: Metrics): AccountWork {
  const retention = {
    kind: 'offboarded',
    expired: 'imports.expired_offboarded',
    defaultDays,
    deleteExpired: async (tx, accountId) => {
      const requested = await requestExpired(tx, accountId, { defaultDays, maxUnfinished: MAX_UNFINISHED });
      if (requested === 0) return undefined;
      await markDue(tx, 'imports', 'erase-employee', [accountId]);
      return UNFINISHED_RETRY_MS;
    },
  } satisfies Parameters<typeof retentionWork>[1];
  return retentionWork(pool, retention, metrics);
}
