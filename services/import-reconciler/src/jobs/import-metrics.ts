import type { Pool } from '@survey/postgres/database.ts';
import { Gauge } from '@survey/process/metrics.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { listUnfinishedImports, retentionLag } from '../sql/unfinished-imports.ts';

/**
 * Registers the number of accepted imports that have not ended, and the lag of the retention, over
 * all accounts. They are read from the database, independent of the bus.
 */
export function registerImportMetrics(pool: Pool, { log, metrics }: Pick<ServiceContext, 'log' | 'metrics'>): void {
  const unfinished: Gauge = new Gauge({
    name: 'imports_unfinished',
    help: 'Accepted imports that have not ended, over all accounts.',
    registers: [metrics],
    collect: async () => {
      try {
        unfinished.set((await listUnfinishedImports(pool)).length);
      } catch (error) {
        log.warn({ err: error }, 'unfinished import count failed');
      }
    },
  });
  const lag: Gauge<'kind'> = new Gauge({
    name: 'retention_lag_seconds',
    help: 'Seconds since the oldest data that is not deleted yet has expired, by kind: bodies or outcomes of imports.',
    labelNames: ['kind'],
    registers: [metrics],
    collect: async () => {
      try {
        for (const { kind, seconds } of await retentionLag(pool)) lag.set({ kind }, seconds);
      } catch (error) {
        log.warn({ err: error }, 'retention lag not measured');
      }
    },
  });
}
