import { randomUUID } from 'node:crypto';

const SAFE = /^[\w.~:=+/@-]{1,128}$/;

/**
 * Returns the client's X-Request-Id if it is safe to log and to forward, otherwise a new random
 * UUID.
 */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && SAFE.test(header) ? header : randomUUID();
}
