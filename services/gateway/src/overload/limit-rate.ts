import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { Problem } from '../http/problem.ts';
import { getRequestContext } from '../http/request-context.ts';
import { WINDOW_SECONDS, type RequestCount } from './request-count.ts';

// Those of draft-ietf-httpapi-ratelimit-headers-11, and for one more release of earlier drafts.
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
