import type { IncomingMessage, ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import { Histogram } from '@survey/process/metrics.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { remoteSpan, TRACEPARENT } from '@survey/process/trace-context.ts';
import type { OpenSpan } from '@survey/process/traces.ts';
import type { RequestHandler } from 'express';
import type { ApiCaller } from '../keys/find-api-keys.ts';

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
  if (context === undefined) throw new Error('expected observe to have set the request context');
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

// Stands for a missing status in logs and metrics: the client disconnected before its response.
const CLIENT_LEFT = 499;

/**
 * Adds the request id, the trace and the common response headers, and writes one log line per
 * request. A client's trace is linked but not continued, so clients cannot control sampling
 * (docs/adr/0018).
 */
export function observe({ log, metrics, traces }: ServiceContext): RequestHandler {
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Duration of HTTP requests from the headers to the end of the response, in seconds.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
    registers: [metrics],
  });
  return (request, response, next) => {
    const receivedAt = performance.now();
    setRequestContext(request, { requestId: requestIdFrom(request.headers['x-request-id']), receivedAt, route: 'none' });
    setCommonHeaders(request, response);
    const client = clientTraceparent(request);
    const method = request.method ?? '';
    const span = traces.start(method, { kind: 'server', attributes: { 'http.request.method': method }, link: client });
    response.once('close', () => {
      const seconds = (performance.now() - receivedAt) / 1_000;
      const line = outcomeOf(request, response);
      duration.observe({ method: line.method, route: line.route, status: line.status }, seconds);
      endSpan(span, line);
      const client_trace_id = remoteSpan(client)?.traceId;
      span.within(() => log.info({ ...line, client_trace_id, duration_ms: Math.round(seconds * 1e6) / 1e3 }, 'request'));
    });
    span.within(next);
  };
}

function clientTraceparent({ headers }: IncomingMessage): string | undefined {
  const header = headers[TRACEPARENT];
  return typeof header === 'string' ? header : undefined;
}

function endSpan(span: OpenSpan, { method, route, status, account_id }: ReturnType<typeof outcomeOf>): void {
  span.rename(`${method} ${route}`);
  span.set({ 'http.route': route, 'http.response.status_code': status });
  if (account_id !== undefined) span.set({ 'survey.account_id': account_id });
  if (status >= 500) span.fail(String(status));
  span.end();
}

function setCommonHeaders(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('X-Request-Id', getRequestContext(request).requestId);
  response.setHeader('Cache-Control', 'private, no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
}

// Contains neither the query string nor the key, and only the pattern of the path.
function outcomeOf(request: IncomingMessage, response: ServerResponse) {
  const { requestId, route, caller } = getRequestContext(request);
  return {
    method: request.method ?? '',
    route,
    status: response.headersSent ? response.statusCode : CLIENT_LEFT,
    ...(response.writableFinished ? {} : { cut_off: true }),
    request_id: requestId,
    ...(caller && { account_id: caller.accountId, key_id: caller.keyId }),
  };
}
