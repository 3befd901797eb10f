import type { Pool } from '@survey/postgres/database.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { terminateStalledCopies } from '../sql/terminate-stalled-copies.ts';
import { deleteAbandonedBodies, deleteExpiredBodies, deleteExpiredRecords, dueImports } from '../sql/unfinished-imports.ts';
import type { ImportWorker } from './import-worker.ts';

/**
 * Finds what the bus has lost: when it starts and again and again it works on the accepted imports that nobody holds, whatever became of their
 * messages, and ends what an instance holds that is paused. It clears away bodies that never became an import, and what has been kept for long
 * enough.
 */
export function startSweeper(pool: Pool, worker: ImportWorker, everyMs: number, { log, resources }: ServiceContext): void {
  let sweeping: Promise<void> | undefined;
  const sweep = async (): Promise<void> => {
    await terminateStalledCopies(pool);
    // Not one after the other: a small import would wait for the large one of somebody else.
    for (const job of await dueImports(pool)) worker.tryStart(job);
    await deleteAbandonedBodies(pool);
    await deleteExpiredBodies(pool);
    await deleteExpiredRecords(pool);
  };
  const begin = (): void => {
    sweeping ??= sweep()
      .catch((error: unknown) => log.warn({ err: error }, 'sweep failed'))
      .finally(() => {
        sweeping = undefined;
      });
  };
  // Whoever starts again after a crash goes on at once.
  begin();
  const timer = setInterval(begin, everyMs);
  resources.defer(async () => {
    clearInterval(timer);
    await sweeping;
  });
}
