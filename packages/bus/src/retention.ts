import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { gauge, type Gauge, type Metrics } from '@survey/process/metrics.ts';
import type { AccountWork } from './account-work.ts';

/** Data that a service deletes when it is older than an account keeps it. */
interface Retention {
  /** What is deleted, such as `answers`. */
  readonly kind: string;
  /** Function that returns `account_id` and `expired_at` of accounts with expired data. */
  readonly expired: string;
  /** Days for accounts without a setting; 0: for ever. */
  readonly defaultDays: number;
  /**
   * Deletes a part of an account's expired data. Returns the milliseconds until there is more, 0
   * for immediately, or undefined when none is left.
   */
  readonly deleteExpired: (tx: Client, accountId: number) => Promise<number | undefined>;
}

interface Expired {
  readonly accountId: number;
  readonly seconds: number;
}

/** Creates the account work that deletes expired data, and measures its lag. */
export function retentionWork(pool: Pool, retention: Retention, metrics: Metrics): AccountWork {
  const { kind, expired, defaultDays, deleteExpired } = retention;
  const lag = retentionLag(metrics);
  return {
    kind: `retention-${kind}`,
    concurrency: 1,
    wokenBy: 'events.settings.changed',
    sweep: async () => {
      const { rows } = await pool.query<Expired>(
        `select account_id as "accountId", extract(epoch from now() - min(expired_at))::float8 as seconds
         from ${expired}($1::float8) group by account_id`,
        [defaultDays],
      );
      lag.set(
        { kind },
        rows.reduce((longest, { seconds }) => Math.max(longest, seconds), 0),
      );
      return rows.map(({ accountId }) => accountId);
    },
    work: (accountId) => inAccount(pool, accountId, (tx) => deleteExpired(tx, accountId)),
  };
}

/** Returns the metric that shows for how long the oldest expired data has not been deleted. */
export function retentionLag(metrics: Metrics): Gauge<'kind'> {
  return gauge(metrics, {
    name: 'retention_lag_seconds',
    help: 'Seconds since the oldest data that is not deleted yet has expired, by kind (docs/rules/data.md, DATA-RETENTION-1).',
    labelNames: ['kind'],
  });
}
