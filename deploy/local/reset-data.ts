import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { endStalePostgres } from './postgres-stale.ts';
import { printStatus } from './terminal.ts';

/** Removes all data of earlier starts, but keeps the lock file. */
export async function resetData(folder: string, lock: string): Promise<void> {
  printStatus('removing the data of earlier starts');
  await endStalePostgres(join(folder, 'postgres'), printStatus);
  for (const entry of await readdir(folder)) {
    if (entry !== lock) await rm(join(folder, entry), { recursive: true, force: true });
  }
}
