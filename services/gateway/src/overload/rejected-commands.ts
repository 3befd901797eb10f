import { initializeToZero, counter } from '@survey/process/metrics.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import type { Redis } from 'ioredis';

const LOG_INTERVAL_MS = 60_000;

/** Counts and logs rejected commands: callers ignore failed commands. */
export function watchRejections(redis: Redis, { log, metrics }: Pick<ServiceContext, 'log' | 'metrics'>): void {
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
