import { LAPTOP_SETTINGS } from '@survey/local/postgres.ts';
import { KEEP_NOTHING } from '@survey/local/redis.ts';
import { Wait } from 'testcontainers';
import type { TestPostgresOptions, TestStore, TestStores } from '../stores.ts';
import { IMAGES } from './images.ts';
import { removeOfEarlierRuns } from './of-run.ts';
import { startReaper } from './start-reaper.ts';
import { StoreContainer } from './store-container.ts';

// Orders by code point, as local PostgreSQL does; the built-in C.UTF-8 needs PostgreSQL 17.
const INITDB = '--encoding=UTF8 --lc-collate=C --lc-ctype=C.UTF-8 --no-sync';
// Parallel queries share memory in /dev/shm, which is 64 MiB by default in a container.
const SHARED_MEMORY_BYTES = 256 * 1024 * 1024;

/** Starts stores in containers, which are removed at the end of the run. */
export function containers(run: string): TestStores {
  return {
    startPostgres: (options) => startPostgres(run, options),
    startNats: () => startNats(run),
    startRedis: () => startRedis(run),
    keepData: false,
  };
}

async function startPostgres(run: string, { settings, superuserPassword }: TestPostgresOptions): Promise<TestStore> {
  await removeOfEarlierRuns(run);
  const reaper = startReaper(run);
  const flags = Object.entries({ ...LAPTOP_SETTINGS, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const { address } = await new StoreContainer({ image: IMAGES.postgres, port: 5432, run })
    .withEnvironment({ POSTGRES_PASSWORD: superuserPassword, POSTGRES_INITDB_ARGS: INITDB })
    .withCommand(['postgres', ...flags])
    .withSharedMemorySize(SHARED_MEMORY_BYTES)
    // During initdb a server runs without network access.
    .withWaitStrategy(Wait.forSuccessfulCommand('pg_isready --host 127.0.0.1 --username postgres'))
    .serve();
  // PostgreSQL is stopped last, so its stop also removes what test files left behind.
  return { url: `postgres://postgres:${encodeURIComponent(superuserPassword)}@${address}/postgres`, stop: () => reaper.reap() };
}

// The NATS module of testcontainers sets a user and password, which a NATS URL cannot carry.
async function startNats(run: string): Promise<TestStore> {
  const { address, stop } = await new StoreContainer({ image: IMAGES.nats, port: 4222, run })
    .withCommand(['--jetstream', '--store_dir', '/data'])
    .withWaitStrategy(Wait.forLogMessage('Server is ready'))
    .serve();
  return { url: `nats://${address}`, stop };
}

async function startRedis(run: string): Promise<TestStore> {
  const { address, stop } = await new StoreContainer({ image: IMAGES.redis, port: 6379, run })
    .withCommand(['redis-server', '--protected-mode', 'no', ...KEEP_NOTHING])
    .withWaitStrategy(Wait.forLogMessage('Ready to accept connections'))
    .serve();
  return { url: `redis://${address}`, stop };
}
