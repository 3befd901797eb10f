import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PROGRAMS } from './install.ts';
import { endStalePostgres } from './postgres-stale.ts';
import { printStatus } from './terminal.ts';

/** Removes all data of earlier starts; keeps the lock file and installed programs. */
export async function resetData(folder: string, lock: string): Promise<void> {
  printStatus('removing the data of earlier starts');
  await endStalePostgres(join(folder, 'postgres'), printStatus);
  for (const entry of await readdir(folder)) {
    if (entry !== lock && entry !== PROGRAMS) await rm(join(folder, entry), { recursive: true, force: true });
  }
}
