import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { endStalePostgres } from './postgres-stale.ts';
import { say } from './say.ts';

/** Removes all data of earlier starts, and keeps the lock that lets us do so. */
export async function forget(folder: string, lock: string): Promise<void> {
  say('removing the data of earlier starts');
  await endStalePostgres(join(folder, 'postgres'), say);
  for (const entry of await readdir(folder)) {
    if (entry !== lock) await rm(join(folder, entry), { recursive: true, force: true });
  }
}
