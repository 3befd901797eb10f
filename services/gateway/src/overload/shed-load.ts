import { monitorEventLoopDelay } from 'node:perf_hooks';
import { AccountCounts } from '@survey/process/fair-limiter.ts';
import { repeat } from '@survey/process/repeat.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import type { RequestHandler } from 'express';
import { Problem } from '../http/problem.ts';
import { getRequestContext } from '../http/request-context.ts';

const RESOLUTION_MS = 10;
const SAMPLE_MS = 250;

/**
 * Sheds load while the mean event-loop delay over 250 ms exceeds `maxDelayMs`: each account may run
 * one request, and further ones get 503 because they would delay those that run. The probe port is
 * exempt.
 */
export function shedLoad(maxDelayMs: number, context: Pick<ServiceContext, 'resources'>): RequestHandler {
  const isOverloaded = watchEventLoop(maxDelayMs, context);
  const running = new AccountCounts();
  return (request, response, next) => {
    const { caller } = getRequestContext(request);
    if (caller === undefined) throw new Error('expected authenticate.ts to have set the caller');
    if (isOverloaded() && running.of(caller.accountId) > 0) throw overloaded();
    running.add(caller.accountId, 1);
    response.once('close', () => running.add(caller.accountId, -1));
    next();
  };
}

function watchEventLoop(maxDelayMs: number, { resources }: Pick<ServiceContext, 'resources'>): () => boolean {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  let isOverloaded = false;
  const sample = (): void => {
    // Nanoseconds between two ticks, ideally the resolution; NaN without a tick.
    isOverloaded = delay.mean / 1e6 - RESOLUTION_MS > maxDelayMs;
    delay.reset();
  };
  resources.defer(() => void delay.disable());
  resources.use(repeat(SAMPLE_MS, sample));
  return () => isOverloaded;
}

export const overloaded = (): Problem =>
  new Problem(503, 'The service is overloaded. Retry with exponential backoff.', {
    headers: { 'Retry-After': '2' },
  });

/**
 * Stops requests whose client disconnected during the key lookup. Later middleware frees a slot
 * when the response closes, and this response has closed already: its slot would never be freed.
 */
export const skipDisconnected: RequestHandler = (_request, response, next) => {
  if (!response.destroyed) next();
};
