import { Gauge } from '@survey/process/metrics.ts';
import type { ServiceTools } from '@survey/process/service.ts';
import { Redis } from 'ioredis';

const COMMAND_TIMEOUT_MS = 100;

/** Redis as the gateway holds it: all of it may be lost, so nobody waits for it, and whatever goes wrong with it is soon known. */
export function openRedis(url: string, { log, metrics, resources }: ServiceTools): Redis {
  const redis = new Redis(url, {
    connectionName: 'gateway',
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: 1_000,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempts) => Math.min(attempts * 100, 2_000),
  });
  const connected: Gauge = new Gauge({
    name: 'redis_connected',
    help: '1 while Redis is there',
    registers: [metrics],
    collect: () => connected.set(redis.status === 'ready' ? 1 : 0),
  });
  let away = false;
  const note = (isAway: boolean, error?: unknown): void => {
    if (isAway !== away)
      log.warn(
        { err: error },
        isAway ? 'redis is away: keys are looked up without it, and each process counts requests by itself' : 'redis is back',
      );
    away = isAway;
  };
  redis.on('error', (error) => note(true, error));
  redis.on('ready', () => note(false));
  resources.defer(() => redis.disconnect());
  return redis;
}
