import { join } from 'node:path';
import { ServerMissingError } from './install.ts';
import { startNats } from './nats.ts';
import { startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';
import type { BusPasswords } from './secrets.ts';
import type { Stack } from './stack-file.ts';
import { givenStore, type Progress, type StartedStore, type Store } from './store.ts';

type StoreName = 'PostgreSQL' | 'NATS' | 'Redis';

interface StoresOptions {
  readonly folder: string;
  readonly superuserPassword: string;
  readonly busPasswords: BusPasswords;
  readonly redisPassword: string;
  // Stack of the previous start, whose ports are reused if free.
  readonly previous: Stack | undefined;
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

/** Starts PostgreSQL, NATS with JetStream and Redis in parallel. */
export async function startStores(options: StoresOptions): Promise<{ postgres: Store; nats: Store; redis: Store }> {
  const { folder, superuserPassword, busPasswords: passwords, previous, given, log } = options;
  const again = {
    database: portOf(previous?.database_url),
    nats: portOf(previous?.nats_url),
    redis: portOf(previous?.redis_url),
  };
  const [postgres, nats, redis] = await Promise.all([
    bring('PostgreSQL', given.DATABASE_URL, options, () =>
      startPostgres({ dataDir: join(folder, 'postgres'), superuserPassword, log, ...again.database }),
    ),
    bring('NATS', given.NATS_URL, options, () => startNats({ storeDir: join(folder, 'nats'), passwords, log, ...again.nats })),
    bringRedis(options, again.redis),
  ]);
  return { postgres, nats, redis };
}

/** URL of Redis when there is none: no server listens there. */
export const NO_REDIS = 'redis://127.0.0.1:1';

async function bringRedis(options: StoresOptions, again: { port?: number }): Promise<Store> {
  const { folder, redisPassword: password, given, log } = options;
  try {
    return await bring('Redis', given.REDIS_URL, options, () =>
      startRedis({ dir: join(folder, 'redis'), password, log, ...again }),
    );
  } catch (error) {
    if (!(error instanceof ServerMissingError)) throw error;
    log('Redis was not found: the web console does not start without it, and each gateway limits requests by itself');
    return givenStore(NO_REDIS);
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

function portOf(url: string | undefined): { port?: number } {
  const port = Number(URL.parse(url ?? '')?.port);
  return port > 0 ? { port } : {};
}
