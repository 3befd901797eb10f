import { randomUUID } from 'node:crypto';

const SAFE = /^[\w.~:=+/@-]{1,128}$/;

/** The client's own X-Request-Id when it is one that is safe to log and to send on; a new random UUID otherwise. */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && SAFE.test(header) ? header : randomUUID();
}
