import type { IncomingMessage } from 'node:http';
import type { ApiCaller } from '../keys/find-api-keys.ts';
import { randomUUID } from 'node:crypto';

/** What the middleware knows about a request beyond its content. */
interface RequestContext {
  readonly requestId: string;
  // Arrival of the headers, on the clock of performance.now().
  readonly receivedAt: number;
  // The route's pattern, never the requested path, which clients choose freely.
  route: string;
  caller?: ApiCaller;
}

const contexts = new WeakMap<IncomingMessage, RequestContext>();

export function setRequestContext(request: IncomingMessage, context: RequestContext): void {
  contexts.set(request, context);
}

export function getRequestContext(request: IncomingMessage): RequestContext {
  const context = contexts.get(request);
  if (context === undefined) throw new Error('expected observe.ts to have set the request context');
  return context;
}

const SAFE = /^[\w.~:=+/@-]{1,128}$/;

/**
 * Returns the client's X-Request-Id if it is safe to log and to forward, otherwise a new random
 * UUID.
 */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && SAFE.test(header) ? header : randomUUID();
}
