import { parseApiKey } from '@survey/formats/api-key.ts';
import type { RequestHandler } from 'express';
import { Problem } from '../http/problem.ts';
import { getRequestContext } from '../http/request-context.ts';
import type { ApiKeys } from './api-keys.ts';

/** Headers of every 401 response (RFC 9110). */
export const CHALLENGE = { 'WWW-Authenticate': 'ApiKey header="X-Api-Key"' };

/**
 * Returns 401 before any other check, on every path. The response never says why a key is not
 * valid.
 */
export function authenticate(keys: ApiKeys): RequestHandler {
  return async (request, _response, next) => {
    // A repeated header arrives as "a, b", which is never a valid key.
    const header = request.headers['x-api-key'];
    const key = typeof header === 'string' ? parseApiKey(header) : undefined;
    const caller = key && (await keys.find(key.hash));
    if (caller === undefined) throw unauthenticated();
    getRequestContext(request).caller = caller;
    next();
  };
}

const unauthenticated = (): Problem =>
  new Problem(
    401,
    'The request carries no valid API key. Send one complete key, once, in the X-Api-Key header. Keys come from the account’s API keys page, and a revoked key stops working at once.',
    { headers: CHALLENGE },
  );
