import { parseApiKey } from '@survey/formats/api-key.ts';
import type { RequestHandler } from 'express';
import { Problem } from '../http/problem.ts';
import { getRequestContext } from '../http/request-context.ts';
import type { ApiKeys } from './api-keys.ts';

/** Headers of every 401 response (RFC 9110). */
export const CHALLENGE = { 'WWW-Authenticate': 'ApiKey header="X-Api-Key"' };

/**
 * Returns 401 before any other check, on every path. Only an expired key is told apart from an
 * invalid one (rules AUTH-KEY-2 and AUTH-KEY-3).
 */
export function authenticate(keys: ApiKeys): RequestHandler {
  return async (request, _response, next) => {
    // A repeated header arrives as "a, b", which is never a valid key.
    const header = request.headers['x-api-key'];
    const key = typeof header === 'string' ? parseApiKey(header) : undefined;
    const state = key === undefined ? 'unknown' : await keys.find(key.hash);
    if (typeof state === 'string') throw withoutKey(state);
    getRequestContext(request).caller = state;
    next();
  };
}

export const withoutKey = (state: keyof typeof DETAILS): Problem => new Problem(401, DETAILS[state], { headers: CHALLENGE });

const DETAILS = {
  unknown:
    'The request carries no valid API key. Send one complete key, once, in the X-Api-Key header. Keys come from the account’s API keys page, and a revoked key no longer works.',
  expired:
    'The API key has expired. An admin of the account can create another one on the API keys page, or on the integration page if it is the key for imports.',
};
