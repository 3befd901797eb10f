import { join } from 'node:path';
import { ServerMissingError } from './install.ts';
import { startNats } from './nats.ts';
import { startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';
import type { PortOf } from './port-block.ts';
import type { BusPasswords } from './secrets.ts';
import type { NotRunning } from './stack-file.ts';
import { givenStore, type Progress, type StartedStore, type Store } from './store.ts';

type StoreName = 'PostgreSQL' | 'NATS' | 'Redis';

interface StoresOptions {
  readonly folder: string;
  readonly superuserPassword: string;
  readonly busPasswords: BusPasswords;
  readonly redisPassword: string;
  readonly portOf: PortOf;
  // Addresses of servers that are already running: they are used and never stopped.
  readonly given: GivenAddresses;
  // Called for each store as soon as it serves, while others are still starting.
  readonly onStarted: (name: StoreName, store: StartedStore) => void;
  readonly log: Progress;
}

// Addresses of running servers. DATABASE_URL is for the owner of the tables, on the survey database
// itself.
export interface GivenAddresses {
  readonly DATABASE_URL: string | undefined;
  readonly NATS_URL: string | undefined;
  readonly REDIS_URL: string | undefined;
}

export interface Stores {
  readonly postgres: Store;
  readonly nats: Store;
  // The store, or why there is none.
  readonly redis: Store | NotRunning;
}

/** Starts PostgreSQL, NATS with JetStream and Redis in parallel. */
export async function startStores(options: StoresOptions): Promise<Stores> {
  const { folder, superuserPassword, busPasswords: passwords, portOf, given, log } = options;
  const [postgres, nats, redis] = await Promise.all([
    bring('PostgreSQL', given.DATABASE_URL, options, () =>
      startPostgres({ dataDir: join(folder, 'postgres'), superuserPassword, log, port: portOf('PostgreSQL') }),
    ),
    bring('NATS', given.NATS_URL, options, () =>
      startNats({ storeDir: join(folder, 'nats'), passwords, log, port: portOf('NATS') }),
    ),
    bringRedis(options),
  ]);
  return { postgres, nats, redis };
}

async function bringRedis(options: StoresOptions): Promise<Store | NotRunning> {
  const { folder, redisPassword: password, portOf, given, log } = options;
  try {
    return await bring('Redis', given.REDIS_URL, options, () =>
      startRedis({ dir: join(folder, 'redis'), password, log, port: portOf('Redis') }),
    );
  } catch (error) {
    if (!(error instanceof ServerMissingError)) throw error;
    return { name: 'Redis', reason: error.reason };
  }
}

async function bring(
  name: StoreName,
  address: string | undefined,
  { onStarted, log }: StoresOptions,
  start: () => Promise<StartedStore>,
): Promise<Store> {
  if (address !== undefined) {
    log(`${name} is the one that the environment names`);
    return givenStore(address);
  }
  const store = await start();
  onStarted(name, store);
  log(`${name} serves on 127.0.0.1:${store.port}`);
  return store;
}
