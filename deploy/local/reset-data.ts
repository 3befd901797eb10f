import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PROGRAMS } from './install.ts';
import { endStalePostgres } from './postgres-stale.ts';
import { printStatus } from './terminal.ts';

// What tests, `.ci/tools` and `npm run test:mutation` keep there.
const OF_OTHERS = ['test', 'report', 'tools', 'stryker'];

/** Removes all data of earlier starts; keeps the lock file, programs and what tests keep. */
export async function resetData(folder: string, lock: string): Promise<void> {
  printStatus('removing the data of earlier starts');
  await endStalePostgres(join(folder, 'postgres'), printStatus);
  const kept = new Set([lock, PROGRAMS, ...OF_OTHERS]);
  for (const entry of await readdir(folder)) {
    if (!kept.has(entry)) await rm(join(folder, entry), { recursive: true, force: true });
  }
}
