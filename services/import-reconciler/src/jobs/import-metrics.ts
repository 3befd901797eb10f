import type { Pool } from '@survey/postgres/database.ts';
import { Gauge } from '@survey/process/metrics.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { countUnfinishedImports } from '../sql/unfinished-imports.ts';

/**
 * Registers the number of accepted imports that have not ended, over all accounts. It is read from
 * the database, independent of the bus.
 */
export function registerImportMetrics(pool: Pool, { log, metrics }: Pick<ServiceContext, 'log' | 'metrics'>): void {
  const unfinished: Gauge = new Gauge({
    name: 'imports_unfinished',
    help: 'Accepted imports that have not ended, over all accounts.',
    registers: [metrics],
    collect: async () => {
      try {
        unfinished.set(await countUnfinishedImports(pool));
      } catch (error) {
        log.warn({ err: error }, 'unfinished import count failed');
      }
    },
  });
}
