import type { AccountWork } from '@survey/bus/account-work.ts';
import { retentionWork } from '@survey/bus/retention.ts';
import type { Pool } from '@survey/postgres/database.ts';
import type { Metrics } from '@survey/process/metrics.ts';

/** Deletes entries of the audit log that have expired (rule DATA-RETENTION-3). */
export const auditRetention = (pool: Pool, defaultDays: number, metrics: Metrics): AccountWork =>
  retentionWork(
    pool,
    {
      kind: 'audit',
      expired: 'admin.expired_audit',
      defaultDays,
      deleteExpired: async (tx, accountId) => {
        const { rows } = await tx.query<{ deleted: number }>(
          'select admin.delete_expired_audit($1::bigint, $2::float8) as deleted',
          [accountId, defaultDays],
        );
        return (rows[0]?.deleted ?? 0) > 0 ? 0 : undefined;
      },
    },
    metrics,
  );
