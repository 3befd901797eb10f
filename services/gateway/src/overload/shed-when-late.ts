import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { ServiceTools } from '@survey/process/service.ts';
import type { RequestHandler } from 'express';
import { exchangeOf } from '../exchange.ts';
import { Problem } from '../problem.ts';
import { AccountCounts } from './account-counts.ts';

const RESOLUTION_MS = 10;
const SAMPLE_MS = 250;

/**
 * While the event loop was late by more than so many milliseconds on average in the last quarter of a second, each account has one request at a
 * time, and 503 for further ones: what is begun now would be late for those who are in already. The side port is not behind this.
 */
export function shedWhenLate(mostMs: number, tools: Pick<ServiceTools, 'resources'>): RequestHandler {
  const isLate = watchEventLoop(mostMs, tools);
  const running = new AccountCounts();
  return (request, response, next) => {
    const { caller } = exchangeOf(request);
    if (caller === undefined) throw new Error('the request did not pass authenticate.ts');
    if (isLate() && running.of(caller.accountId) > 0) throw overloaded();
    running.add(caller.accountId, 1);
    response.once('close', () => running.add(caller.accountId, -1));
    next();
  };
}

function watchEventLoop(mostMs: number, { resources }: Pick<ServiceTools, 'resources'>): () => boolean {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  let isLate = false;
  const timer = setInterval(() => {
    // Nanoseconds between two ticks, which should be the resolution; NaN when there was none.
    isLate = delay.mean / 1e6 - RESOLUTION_MS > mostMs;
    delay.reset();
  }, SAMPLE_MS).unref();
  resources.defer(() => {
    clearInterval(timer);
    delay.disable();
  });
  return () => isLate;
}

const overloaded = (): Problem =>
  new Problem(503, 'The service is overloaded. Retry with exponential backoff.', {
    headers: { 'Retry-After': '2' },
  });
