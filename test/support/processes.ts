import { join } from 'node:path';
import { startNats } from '@survey/local/nats.ts';
import { startPostgres } from '@survey/local/postgres.ts';
import { startRedis } from '@survey/local/redis.ts';
import { password } from '@survey/local/secrets.ts';
import type { TestStores } from './stores.ts';

const log = (): void => {};

/** Stores as processes of this machine, with their data in the run's folder. */
export function processes(run: string): TestStores {
  return {
    startPostgres: (options) => startPostgres({ ...options, dataDir: join(run, 'postgres'), log }),
    startNats: (stack, passwords) => startNats({ storeDir: join(run, stack, 'nats'), passwords, log }),
    startRedis: (stack) => startRedis({ dir: join(run, stack, 'redis'), password: password(), log }),
    keepData: true,
  };
}
