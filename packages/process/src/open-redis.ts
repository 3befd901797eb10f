import { once } from 'node:events';
import { Redis, type RedisOptions } from 'ioredis';
import { z } from 'zod';
import { causeOf } from './cause-of.ts';
import type { Log } from './log.ts';
import { Gauge } from './metrics.ts';
import type { ServiceContext } from './service.ts';

interface RedisSettings {
  readonly url: string;
  // Client name, and prefix of its keys.
  readonly name: string;
  readonly commandTimeoutMs: number;
}

const CONNECT_TIMEOUT_MS = 1_000;
// How long a start waits for an unreachable server; the client then connects in the background.
const START_TIMEOUT_MS = 2_000;
// Between two attempts to leave a server that only reads.
const LEAVE_INTERVAL_MS = 1_000;
const RECONNECT_MS = 100;
const KEY_SECONDS = 60;

/**
 * Opens Redis as a store whose loss is tolerated: commands fail fast, requests never wait for a
 * connection.
 * @throws when the URL of one server names a Sentinel or a node of a Redis Cluster
 */
export async function openRedis({ url, name, commandTimeoutMs }: RedisSettings, context: ServiceContext): Promise<Redis> {
  const { log, metrics, resources } = context;
  let toldReason: string | undefined;
  const record = (error?: unknown): void => {
    const reason = error === undefined ? undefined : causeOf(error);
    if (reason === toldReason) return;
    toldReason = reason;
    if (reason === undefined) log.info('redis available');
    else log.warn({ err: error }, `redis unavailable: ${reason}`);
  };
  let leftAtMs = -Infinity;
  // A primary that has become a replica keeps its connections: a new one reaches its successor.
  const mustLeave = (error: Error): boolean => {
    if (!/\bREADONLY\b/.test(error.message)) return false;
    record(error);
    if (performance.now() - leftAtMs < LEAVE_INTERVAL_MS) return false;
    leftAtMs = performance.now();
    return true;
  };
  const redis = connectRedis(url, {
    connectionName: name,
    commandTimeout: commandTimeoutMs,
    connectTimeout: CONNECT_TIMEOUT_MS,
    sentinelCommandTimeout: CONNECT_TIMEOUT_MS,
    // Notices a failover even if the old primary keeps its connections.
    failoverDetector: true,
    reconnectOnError: mustLeave,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempts) => Math.min(attempts * 100, 2_000),
  });
  let reconnection: NodeJS.Timeout | undefined;
  // The client gives up for good when a failover is announced while it asks Sentinels for the
  // primary.
  const reconnect = (): void => {
    reconnection = setTimeout(() => void redis.connect().catch(record), RECONNECT_MS);
  };
  redis.on('end', reconnect);
  resources.defer(() => {
    clearTimeout(reconnection);
    redis.off('end', reconnect);
    redis.disconnect();
  });
  // Checks a write, because a server that has become a replica still reads. The key belongs to this
  // client, whose user may have no access to other keys.
  const writes = async (): Promise<boolean> => {
    if (redis.status !== 'ready') return false;
    try {
      await redis.set(`${name}:connected`, '1', 'EX', KEY_SECONDS);
      record();
      return true;
    } catch (error) {
      record(error);
      return false;
    }
  };
  redis.on('error', record);
  redis.on('ready', () => void writes());
  const connected: Gauge = new Gauge({
    name: 'redis_connected',
    help: 'Whether Redis accepts writes: 1 or 0.',
    registers: [metrics],
    collect: async () => connected.set((await writes()) ? 1 : 0),
  });
  await once(redis, 'ready', { signal: AbortSignal.timeout(START_TIMEOUT_MS) }).catch(record);
  if (redis.status === 'ready') await rejectOtherModes(redis, log);
  return redis;
}

// A Sentinel and a node of a cluster accept connections but not the commands.
async function rejectOtherModes(redis: Redis, log: Log): Promise<void> {
  const info = await redis.info('server').catch((error: unknown) => {
    log.warn({ err: error }, 'redis mode unknown');
    return '';
  });
  // Valkey calls it server_mode.
  const [, mode = 'standalone'] = /^(?:redis|server)_mode:(\w+)/m.exec(info) ?? [];
  if (mode === 'standalone') return;
  throw new Error(
    `cannot use Redis in mode ${mode}: set REDIS_URL to one server, or to redis+sentinel://host:port/group; Redis Cluster is not supported`,
  );
}

// Without those that change the type of results.
type Options = Omit<RedisOptions, 'replyMapping'>;

/** Setting with the address of Redis. Its error never repeats the value. */
export const redisUrl = z.string().refine((url) => targetOf(url) !== undefined, {
  error: 'must be redis://host:port, or redis+sentinel://host:port/group for each Sentinel, separated by commas',
});

/**
 * Creates a client of one server (`redis://user:password@host:port`) or of the primary that
 * Sentinels name (`redis+sentinel://user:password@host:port/group`, separated by commas). The first
 * URL has the group and the credentials of servers and Sentinels. `rediss` requires TLS.
 * @throws for a malformed URL, without repeating it
 */
export function connectRedis(url: string, options: Options): Redis {
  const target = targetOf(url);
  if (target === undefined) throw new Error('cannot connect to Redis: malformed URL');
  return typeof target === 'string' ? new Redis(target, options) : new Redis({ ...options, ...target });
}

function targetOf(text: string): string | Options | undefined {
  const urls = text.split(',').map((one) => URL.parse(one.trim()));
  const [first] = urls;
  if (first == null || urls.some((url) => url?.protocol !== first.protocol || url.hostname === '')) return undefined;
  if (/^rediss?:$/.test(first.protocol)) return urls.length === 1 ? text : undefined;
  const name = first.pathname.slice(1);
  if (!/^rediss?\+sentinel:$/.test(first.protocol) || name === '') return undefined;
  const username = decodeURIComponent(first.username);
  const password = decodeURIComponent(first.password);
  return {
    name,
    sentinels: urls.flatMap((url) =>
      url === null ? [] : [{ host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(url.port || 26_379) }],
    ),
    ...(password !== '' && { username, password, sentinelUsername: username, sentinelPassword: password }),
    ...(first.protocol.startsWith('rediss') && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
  };
}
