import type { Pool } from '@survey/postgres/database.ts';
import { Gauge } from '@survey/process/metrics.ts';
import type { ServiceTools } from '@survey/process/service.ts';
import { waitingImports } from '../sql/waiting-imports.ts';

/** Shows in the metrics how many imports are accepted and have not ended, in all accounts: the truth, whatever the bus knows of them. */
export function watchImports(pool: Pool, { log, metrics }: Pick<ServiceTools, 'log' | 'metrics'>): void {
  const unfinished: Gauge = new Gauge({
    name: 'imports_unfinished',
    help: 'Imports that are accepted and have not ended, in all accounts',
    registers: [metrics],
    collect: async () => {
      try {
        unfinished.set((await waitingImports(pool)).length);
      } catch (error) {
        log.warn({ err: error }, 'unfinished imports could not be counted');
      }
    },
  });
}
