import type { Pool } from '@survey/postgres/database.ts';
import { Counter, Gauge, initializeToZero } from '@survey/process/metrics.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { countUnfinishedImports } from './unfinished-imports.ts';

/**
 * Registers the metrics of imports and returns the counter of ended ones. The number of unfinished
 * imports is read from the database, independent of the bus.
 * @param startedAt by running import in this process
 */
export function registerImportMetrics(
  pool: Pool,
  startedAt: ReadonlyMap<string, number>,
  { log, metrics }: Pick<ServiceContext, 'log' | 'metrics'>,
): Counter<'state'> {
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
  const oldest: Gauge = new Gauge({
    name: 'import_oldest_running_seconds',
    help: 'Age of the oldest running import in this process, in seconds; 0 without one.',
    registers: [metrics],
    collect: () => oldest.set(Math.max(0, performance.now() - Math.min(...startedAt.values())) / 1_000),
  });
  const ended = new Counter({
    name: 'imports_total',
    help: 'Ended imports, by state.',
    labelNames: ['state'],
    registers: [metrics],
  });
  initializeToZero(ended, [{ state: 'applied' }, { state: 'cancelled' }, { state: 'failed' }]);
  return ended;
}
