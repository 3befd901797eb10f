import { once } from 'node:events';
import { Gauge } from './metrics.ts';
import type { ServiceContext } from './service.ts';
import type { Redis } from 'ioredis';
import { connectRedis } from './connect-redis.ts';

interface RedisSettings {
  readonly url: string;
  // Client name, and prefix of its keys.
  readonly name: string;
  readonly commandTimeoutMs: number;
}

const CONNECT_TIMEOUT_MS = 1_000;
// Of an unreachable server; the client then connects in the background.
const START_TIMEOUT_MS = 2_000;

/**
 * Opens Redis as a store whose loss is tolerated: commands fail fast, requests never wait for a
 * connection.
 * @throws when the URL of one server names a Sentinel or a node of a Redis Cluster
 */
export async function openRedis({ url, name, commandTimeoutMs }: RedisSettings, context: ServiceContext): Promise<Redis> {
  const { log, metrics, resources } = context;
  const redis = connectRedis(url, {
    connectionName: name,
    commandTimeout: commandTimeoutMs,
    connectTimeout: CONNECT_TIMEOUT_MS,
    sentinelCommandTimeout: CONNECT_TIMEOUT_MS,
    // Notices a failover even if the old primary keeps its connections.
    failoverDetector: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempts) => Math.min(attempts * 100, 2_000),
  });
  resources.defer(() => redis.disconnect());
  let isUnavailable = false;
  const record = (unavailable: boolean, error?: unknown): void => {
    if (unavailable !== isUnavailable) log.warn({ err: error }, unavailable ? 'redis unavailable' : 'redis available');
    isUnavailable = unavailable;
  };
  redis.on('error', (error) => record(true, error));
  redis.on('ready', () => record(false));
  const connected: Gauge = new Gauge({
    name: 'redis_connected',
    help: 'Whether Redis executes commands: 1 or 0.',
    registers: [metrics],
    // A key of this client: its user may have no access to others.
    collect: async () =>
      connected.set(
        await redis.exists(`${name}:connected`).then(
          () => 1,
          () => 0,
        ),
      ),
  });
  await once(redis, 'ready', { signal: AbortSignal.timeout(START_TIMEOUT_MS) }).catch(() => undefined);
  await rejectOtherModes(redis);
  return redis;
}

// A Sentinel and a node of a cluster accept connections but not the commands.
async function rejectOtherModes(redis: Redis): Promise<void> {
  const info = await redis.info('server').catch(() => '');
  const [, mode = 'standalone'] = /^redis_mode:(\w+)/m.exec(info) ?? [];
  if (mode === 'standalone') return;
  throw new Error(
    `cannot use Redis in mode ${mode}: set REDIS_URL to one server, or to redis+sentinel://host:port/group; Redis Cluster is not supported`,
  );
}
