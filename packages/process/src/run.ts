import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { readEnvironment } from './environment.ts';
import { createLog } from './log.ts';
import type { Service } from './service.ts';
import { openSteps } from './step.ts';

const LEFTOVERS_MAY_TAKE_MS = 1_000;

/**
 * Makes a process of a service: reads the environment once, starts, and on SIGTERM or SIGINT drains and stops.
 * DRAIN_DELAY_MS is how long readiness is refused before connections close, for balancers that learn of it late; FINISH_MS how long what is
 * under way may take after that before the process ends all the same.
 */
export async function run<S extends z.ZodRawShape>(
  name: string,
  shape: S,
  start: (settings: z.output<z.ZodObject<S>>) => Promise<Service>,
): Promise<void> {
  const log = createLog(name, process.env['LOG_LEVEL'] ?? 'info');
  const drainDelayMs = Number(process.env['DRAIN_DELAY_MS'] ?? 0);
  const finishMs = Number(process.env['FINISH_MS'] ?? 25_000);
  process.on('unhandledRejection', (error) => {
    log.error({ err: error }, 'unhandled rejection');
    process.exitCode = 1;
    process.kill(process.pid, 'SIGTERM');
  });
  try {
    openSteps(process.env);
    // Listened for from the first: a start may wait for others, and the first process of a container ignores signals that it does not listen for.
    const stop = stopSignal();
    const service = await Promise.race([start(readEnvironment(shape, process.env)), stop.then(() => undefined)]);
    const signal = await stop;
    log.info({ signal }, service === undefined ? 'stopped before it served' : 'stopping');
    if (service === undefined) return;
    setTimeout(() => process.exit(1), drainDelayMs + finishMs).unref();
    service.drain();
    await sleep(drainDelayMs);
    await service[Symbol.asyncDispose]();
    log.info('stopped');
  } catch (error) {
    log.error({ err: error }, error instanceof Error ? error.message : 'could not start');
    process.exitCode = 1;
  } finally {
    // A library may leave something open, such as nats.js a socket to a server that never greeted it: that must not hold the process.
    setTimeout(() => process.exit(), LEFTOVERS_MAY_TAKE_MS).unref();
  }
}

function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
}
