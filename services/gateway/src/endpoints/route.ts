import type { ServerResponse } from 'node:http';
import type { ApiKeyScope } from '@survey/formats/api-key.ts';
import type { Caller } from '@survey/rpc/call-context.ts';
import type { Express, Request, RequestHandler, Response } from 'express';
import { Problem } from '../http/problem.ts';
import { getRequestContext } from '../http/request-context.ts';
import type { Operation } from './operation.ts';

export interface ApiCall {
  readonly request: Request;
  readonly response: Response;
  // Caller metadata for upstream services.
  readonly caller: Caller;
  readonly keyId: string;
  // Aborted when the client disconnects before its response. Ends queuing and uploads, but not a
  // running read, which the upstream service would complete anyway.
  readonly signal: AbortSignal;
  // Arrival of the headers, on the clock of performance.now().
  readonly receivedAt: number;
}

export type Endpoint = (call: ApiCall) => Promise<void>;

/** A read whose query parameters are valid. */
interface Read {
  /** Maximum rows of the response. */
  readonly pageSize: number;
  /** @param hold Throws when the client has too many bytes to read already. */
  readonly respond: (hold: (bytes: number) => void) => Promise<void>;
}

/**
 * Parses the query parameters, so that the limiter knows the cost of the read.
 * @throws 400 when they are not valid.
 */
export type ReadEndpoint = (call: ApiCall) => Read;

export interface Route {
  readonly method: 'get' | 'post';
  readonly path: string;
  // The key needs one of these scopes, of which the first allows least.
  readonly scopes: readonly ApiKeyScope[];
  readonly endpoint: Endpoint;
  readonly operation: Operation;
  // Whether responses have an ETag (rule LISTS-ETAG-1).
  readonly isConditional?: boolean;
}

/** Scopes of the keys that may use the endpoints that need this one (rule AUTH-SCOPE-2). */
const scopesFor = (scope: ApiKeyScope): readonly ApiKeyScope[] => [scope, 'read', 'employees:write'];

/** What keys may be used for; each endpoint belongs to one (rules AUTH-SCOPE-1 to AUTH-SCOPE-5). */
export const SCOPES_FOR = {
  scores: scopesFor('read:scores'),
  texts: scopesFor('read:texts'),
  people: scopesFor('read:employees'),
  structure: ['read:scores', 'read:texts', 'read:employees', 'read', 'employees:write'],
  imports: ['employees:write'],
} as const satisfies Record<string, readonly ApiKeyScope[]>;

/**
 * Mounts each route's method, and 405 for the others. HEAD is handled like GET, without the body.
 * @throws when a route has no scope.
 */
export function mountRoutes(app: Express, routes: readonly Route[]): void {
  for (const [path, methods] of Map.groupBy(routes, (route) => route.path)) {
    const expressRoute = app.route(path);
    for (const route of methods) expressRoute[route.method](routeHandler(route));
    expressRoute.all(methodNotAllowed(path, methods.map(({ method }) => (method === 'get' ? 'GET, HEAD' : 'POST')).join(', ')));
  }
}

function routeHandler({ method, path, scopes, endpoint, operation }: Route): RequestHandler {
  const [leastScope] = scopes;
  if (leastScope === undefined) throw new Error(`cannot mount ${method} ${path}: it has no scope`);
  const deprecation = deprecationHeaders(operation);
  return async (request, response) => {
    const context = getRequestContext(request);
    context.route = path;
    response.setHeaders(deprecation);
    const { requestId, receivedAt, caller } = context;
    if (caller === undefined || !scopes.includes(caller.scope)) throw missingScope(leastScope);
    const { accountId, keyId } = caller;
    await endpoint({
      request,
      response,
      caller: { requestId, accountId },
      keyId,
      signal: clientAbortSignal(response),
      receivedAt,
    });
  };
}

const MIN_NOTICE_DAYS = 365;
const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * Returns the headers that announce the end of an operation (RFC 9745 and RFC 8594).
 * @throws when the notice is shorter than promised
 */
export function deprecationHeaders({ id, deprecation }: Pick<Operation, 'id' | 'deprecation'>): Headers {
  if (deprecation === undefined) return new Headers();
  const [since, sunset] = [Date.parse(deprecation.since), Date.parse(deprecation.sunset)];
  if (!(sunset - since >= MIN_NOTICE_DAYS * DAY_MS))
    throw new Error(`${id} ends less than ${MIN_NOTICE_DAYS} days after its deprecation`);
  return new Headers({
    Deprecation: `@${since / 1_000}`,
    Sunset: new Date(sunset).toUTCString(),
    Link: `</docs#${id}>; rel="deprecation"; type="text/html"`,
  });
}

export function methodNotAllowed(path: string, allow: string): RequestHandler {
  return (request) => {
    getRequestContext(request).route = path;
    throw new Problem(405, `${path} does not support ${request.method}. Use ${allow}.`, { headers: { Allow: allow } });
  };
}

export const pathNotFound: RequestHandler = () => {
  throw new Problem(
    404,
    'There is no endpoint at this path. Paths start with /v1, are case-sensitive and do not end with a slash; /docs lists them.',
  );
};

/** Returns 404 for paths that cannot be of the API, without asking for a key. */
export const rejectOutsideApi: RequestHandler = (request, response, next) => {
  if (/^\/v1(?:\/|$)/.test(request.path)) next();
  else pathNotFound(request, response, next);
};

export function missingScope(scope: ApiKeyScope): Problem {
  const advice = scope === 'employees:write' ? 'Use a key that has it.' : 'Use a key that has it, or one with the scope read.';
  return new Problem(403, `The key does not have the scope ${scope}, which this endpoint requires. ${advice}`);
}

function clientAbortSignal(response: ServerResponse): AbortSignal {
  const hangUp = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) hangUp.abort();
  });
  return hangUp.signal;
}

// Lower bound, so that a reachable service is not reported as unavailable.
const MIN_MS = 100;

/**
 * Returns the time left for an upstream call. The deadline counts from the request's headers, so it
 * includes queuing.
 */
export function remainingDeadlineMs(receivedAt: number, deadlineMs: number): number {
  return Math.max(MIN_MS, Math.round(receivedAt + deadlineMs - performance.now()));
}

export function sendJson(response: ServerResponse, status: number, value: object): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': body.length });
  response.end(body);
}
