import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandOf } from './process-command.ts';
import type { Progress } from './store.ts';

const END_TIMEOUT_MS = 30_000;

/**
 * Stops a server that a killed run left running on this data directory. If another program now has
 * its process id, removes the lock file, because PostgreSQL would mistake that program for a
 * server.
 */
export async function endStalePostgres(dataDir: string, log: Progress): Promise<void> {
  const lockFile = join(dataDir, 'postmaster.pid');
  const pid = Number.parseInt(await readFile(lockFile, 'utf8').catch(() => ''), 10);
  if (Number.isNaN(pid)) return;
  const command = await commandOf(pid);
  // Without the process, PostgreSQL itself detects that the lock is stale and that no backend is
  // left.
  if (command === undefined) return;
  if (!command.includes(dataDir)) return rm(lockFile, { force: true });
  log('ending the PostgreSQL that an earlier run left behind');
  process.kill(pid, 'SIGINT');
  const deadline = performance.now() + END_TIMEOUT_MS;
  while ((await commandOf(pid))?.includes(dataDir) === true) {
    if (performance.now() > deadline) throw new Error(`PostgreSQL of an earlier run (process ${pid}) does not stop`);
    await sleep(50);
  }
}
