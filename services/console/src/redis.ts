import type { ServiceContext } from '@survey/process/service.ts';
import { Gauge } from '@survey/process/metrics.ts';
import { Redis } from 'ioredis';

const COMMAND_TIMEOUT_MS = 1_000;

/** Connects to Redis. While Redis is unavailable, no user is signed in and every page says so. */
export function openRedis(url: string, { log, metrics, resources }: ServiceContext): Redis {
  const redis = new Redis(url, {
    connectionName: 'console',
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: COMMAND_TIMEOUT_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempts) => Math.min(attempts * 100, 2_000),
  });
  const connected: Gauge = new Gauge({
    name: 'redis_connected',
    help: 'Whether Redis is connected: 1 or 0.',
    registers: [metrics],
    collect: () => connected.set(redis.status === 'ready' ? 1 : 0),
  });
  let isUnavailable = false;
  const record = (unavailable: boolean, error?: unknown): void => {
    if (unavailable !== isUnavailable) log.warn({ err: error }, unavailable ? 'redis unavailable' : 'redis available');
    isUnavailable = unavailable;
  };
  redis.on('error', (error) => record(true, error));
  redis.on('ready', () => record(false));
  resources.defer(() => redis.disconnect());
  return redis;
}
