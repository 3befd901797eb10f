import { join } from 'node:path';
import { obtain, type Server } from '@survey/local/install.ts';
import { NATS, startNats } from '@survey/local/nats.ts';
import { startPostgres } from '@survey/local/postgres.ts';
import { REDIS, startRedis } from '@survey/local/redis.ts';
import { password } from '@survey/local/secrets.ts';
import type { TestStores } from './stores.ts';

const log = (): void => {};

/** Installs missing servers. Later, every test file would do so at the same time. */
export async function obtainServers(): Promise<void> {
  for (const server of [NATS, REDIS]) await obtain(server, log);
}

/** Returns the program of a server, for tests that choose its arguments. */
export async function obtainProgram(server: Server): Promise<string> {
  const source = await obtain(server, log);
  if ('program' in source) return source.program;
  throw new Error(`this test needs ${server.names.join(' or ')} as a program, and here it is an image`);
}

/** Stores as processes of this machine, with their data in the run's folder. */
export function processes(run: string): TestStores {
  return {
    startPostgres: (options) => startPostgres({ ...options, dataDir: join(run, 'postgres'), log }),
    // No test of these stacks cuts the power, so messages need not reach the disk.
    startNats: (stack, passwords) => startNats({ storeDir: join(run, stack, 'nats'), passwords, syncInterval: '2m', log }),
    startRedis: (stack) => startRedis({ dir: join(run, stack, 'redis'), password: password(), log }),
    keepData: true,
  };
}
