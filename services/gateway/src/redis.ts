import { initializeToZero, counter, Gauge } from '@survey/process/metrics.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { Redis } from 'ioredis';

const COMMAND_TIMEOUT_MS = 100;
const LOG_INTERVAL_MS = 60_000;

/**
 * Opens Redis as a store whose loss is tolerated: commands fail fast, requests never wait for a
 * connection.
 */
export function openRedis(url: string, { log, metrics, resources }: ServiceContext): Redis {
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
    help: 'Whether Redis is connected: 1 or 0.',
    registers: [metrics],
    collect: () => connected.set(redis.status === 'ready' ? 1 : 0),
  });
  let away = false;
  const note = (isUnavailable: boolean, error?: unknown): void => {
    if (isUnavailable !== away) log.warn({ err: error }, isUnavailable ? 'redis unavailable' : 'redis connected');
    away = isUnavailable;
  };
  redis.on('error', (error) => note(true, error));
  redis.on('ready', () => note(false));
  watchRejections(redis, { log, metrics });
  resources.defer(() => redis.disconnect());
  return redis;
}

// Callers ignore failed commands, so rejections would otherwise be invisible.
function watchRejections(redis: Redis, { log, metrics }: Pick<ServiceContext, 'log' | 'metrics'>): void {
  const rejected = counter(metrics, {
    name: 'redis_commands_rejected_total',
    help: 'Commands rejected by Redis, such as for lack of memory.',
  });
  initializeToZero(rejected, [{}]);
  let loggedAt = -Infinity;
  const record = (error: unknown): void => {
    // NOSCRIPT is expected: the client then sends the whole script.
    if (!(error instanceof Error) || error.name !== 'ReplyError' || error.message.startsWith('NOSCRIPT')) return;
    rejected.inc();
    if (performance.now() - loggedAt < LOG_INTERVAL_MS) return;
    loggedAt = performance.now();
    log.warn({ err: error }, 'redis command rejected');
  };
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, stream) => {
    command.promise.catch(record);
    return send(command, stream);
  };
}
