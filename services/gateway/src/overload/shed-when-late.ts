import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { ServiceTools } from '@survey/process/service.ts';
import type { RequestHandler } from 'express';
import { Problem } from '../problem.ts';

const RESOLUTION_MS = 10;
const SAMPLE_MS = 250;

/**
 * 503 for everything while the event loop was late by more than so many milliseconds on average in the last quarter of a second: whatever is
 * begun now would be late for those who are already in. The side port is not behind this.
 */
export function shedWhenLate(mostMs: number, { resources }: Pick<ServiceTools, 'resources'>): RequestHandler {
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
  return (_request, _response, next) => {
    if (isLate) throw overloaded();
    next();
  };
}

const overloaded = (): Problem =>
  new Problem(503, 'The service has more to do than it can. Try again, with exponential backoff.', {
    headers: { 'Retry-After': '2' },
  });
