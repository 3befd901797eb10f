import type { IncomingMessage } from 'node:http';
import type { ApiKeyScope } from '@survey/api-key/api-key.ts';

/** Whom a key belongs to, and what it may do. */
export interface ApiCaller {
  readonly accountId: number;
  readonly keyId: string;
  readonly scope: ApiKeyScope;
  // Requests in a minute, when the account has a limit of its own.
  readonly rateLimit: number | null;
}

/** What is known of a request beside what it carries; filled in while it passes the middleware. */
export interface RequestContext {
  readonly requestId: string;
  // When its headers had come, in the time of performance.now().
  readonly receivedAt: number;
  // The pattern, never the path as asked: that is for clients to invent.
  route: string;
  caller?: ApiCaller;
}

const exchanges = new WeakMap<IncomingMessage, RequestContext>();

export function setRequestContext(request: IncomingMessage, exchange: RequestContext): void {
  exchanges.set(request, exchange);
}

export function getRequestContext(request: IncomingMessage): RequestContext {
  const exchange = exchanges.get(request);
  if (exchange === undefined) throw new Error('the request did not pass observe.ts');
  return exchange;
}
