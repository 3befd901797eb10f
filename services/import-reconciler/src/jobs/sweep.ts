import type { Pool } from '@survey/postgres/database.ts';
import type { ServiceTools } from '@survey/process/service.ts';
import { deleteAbandonedPieces, deleteExpiredRecords, waitingImports } from '../sql/waiting-imports.ts';
import type { ImportWorker } from './import-worker.ts';

const EVERY_MS = 5_000;

/**
 * Finds what the bus has lost: every 5 s and when it starts, it works on the accepted imports that nobody holds, whatever became of their messages, and
 * clears away bodies that never became an import, and what has been kept for long enough.
 */
export function startSweeper(pool: Pool, worker: ImportWorker, { log, resources }: ServiceTools): void {
  let sweeping: Promise<void> | undefined;
  const sweep = async (): Promise<void> => {
    for (const job of await waitingImports(pool)) await worker.work(job);
    await deleteAbandonedPieces(pool);
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
  const timer = setInterval(begin, EVERY_MS);
  resources.defer(async () => {
    clearInterval(timer);
    await sweeping;
  });
}
