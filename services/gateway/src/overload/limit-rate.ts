import type { ServerResponse } from 'node:http';
import { counter, initializeToZero } from '@survey/process/metrics.ts';
import { repeat } from '@survey/process/repeat.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import type { RequestHandler } from 'express';
import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { Problem } from '../http/problem.ts';
import { getRequestContext } from '../http/request-context.ts';

// The headers of draft-ietf-httpapi-ratelimit-headers-11, and for one more release of earlier
// drafts.
export const RATE_LIMIT_HEADERS = ['RateLimit-Policy', 'RateLimit', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/**
 * Returns 429 to a key that has used up its requests of the current minute. Successful responses
 * report how many remain.
 */
export function limitRate(count: RequestCount, defaultLimit: number): RequestHandler {
  return (request, response, next) => {
    const { caller } = getRequestContext(request);
    if (caller === undefined) throw new Error('expected authenticate.ts to have set the caller');
    const limit = caller.rateLimit ?? defaultLimit;
    const { requests, resetsInMs } = count.add(caller.keyId);
    const resetSeconds = Math.max(1, Math.ceil(resetsInMs / 1_000));
    const remaining = Math.max(0, limit - requests);
    const policy = `"default";q=${limit};w=${WINDOW_SECONDS}`;
    tell(response, [policy, `"default";r=${remaining};t=${resetSeconds}`, limit, remaining, resetSeconds]);
    if (requests > limit) throw exhausted(resetSeconds);
    next();
  };
}

function tell(response: ServerResponse, values: readonly (string | number)[]): void {
  for (const [index, name] of RATE_LIMIT_HEADERS.entries()) response.setHeader(name, values[index] ?? '');
}

export const exhausted = (resetSeconds: number): Problem =>
  new Problem(
    429,
    'The key has used up its requests of this minute. Wait for the seconds in Retry-After, and request larger pages.',
    { headers: { 'Retry-After': String(resetSeconds) } },
  );

/** Usage of a key in the current minute. */
interface Usage {
  readonly requests: number;
  readonly resetsInMs: number;
}

export interface RequestCount {
  /** Counts one request of the key. */
  add(keyId: string): Usage;
}

const WINDOW_SECONDS = 60;
const SETTLE_MS = 200;
const WINDOW_MS = WINDOW_SECONDS * 1_000;
const MAX_KEYS = 100_000;

/**
 * Counts requests by key in this process, and syncs the counts of all processes through Redis five
 * times a second. Requests never wait for Redis; in exchange a process may admit up to 200 ms of
 * requests too many. When Redis is unavailable, each process counts alone.
 */
export function openRequestCount(redis: Redis, { resources }: Pick<ServiceContext, 'resources'>): RequestCount {
  // Uses the monotonic clock, so that setting the system clock back does not extend a window.
  const localCounter = new LRUCache<string, { requests: number }>({ max: MAX_KEYS, ttl: WINDOW_MS });
  const sharedCounter = new RateLimiterRedis({
    // Limits differ by account and are enforced in limit-rate.ts; this only counts.
    points: Number.MAX_SAFE_INTEGER,
    duration: WINDOW_SECONDS,
    storeClient: redis,
    keyPrefix: 'gateway:requests',
    rejectIfRedisNotReady: true,
  });
  const unsynced = new Map<string, number>();

  const syncKey = async (keyId: string, added: number): Promise<void> => {
    const { consumedPoints, msBeforeNext } = await sharedCounter.penalty(keyId, added);
    // Requests that arrived during the call are not in its result.
    const requests = consumedPoints + (unsynced.get(keyId) ?? 0);
    if (msBeforeNext > 0) localCounter.set(keyId, { requests }, { ttl: Math.min(msBeforeNext, WINDOW_MS) });
  };
  const syncAll = (): void => {
    const counts = [...unsynced];
    unsynced.clear();
    // watchRejections logs what Redis rejects, and openRedis that it is unavailable.
    for (const [keyId, requests] of counts) syncKey(keyId, requests).catch(() => {});
  };
  resources.use(repeat(SETTLE_MS, syncAll));

  return {
    add: (keyId) => {
      unsynced.set(keyId, (unsynced.get(keyId) ?? 0) + 1);
      const window = localCounter.get(keyId) ?? { requests: 0 };
      if (window.requests === 0) localCounter.set(keyId, window);
      window.requests += 1;
      // The cache reads its clock once a millisecond, so a new entry may exceed the window.
      return { requests: window.requests, resetsInMs: Math.min(localCounter.getRemainingTTL(keyId), WINDOW_MS) };
    },
  };
}

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
