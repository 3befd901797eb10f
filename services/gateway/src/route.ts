import type { ServerResponse } from 'node:http';
import type { ApiKeyScope } from '@survey/api-key/api-key.ts';
import type { Caller } from '@survey/rpc/call-context.ts';
import type { Express, Request, RequestHandler, Response } from 'express';
import { getRequestContext } from './request-context.ts';
import type { Operation } from './openapi/operation.ts';
import { Problem } from './problem.ts';

export interface ApiCall {
  readonly request: Request;
  readonly response: Response;
  // For the services behind.
  readonly caller: Caller;
  readonly keyId: string;
  // Aborted when the client leaves before its answer. Ends waiting and uploads, not a read that has begun: the service would do it all the same.
  readonly signal: AbortSignal;
  // When its headers had come, in the time of performance.now().
  readonly receivedAt: number;
}

export type Endpoint = (call: ApiCall) => Promise<void>;

/** A read whose query parameters are valid. */
export interface Read {
  /** Rows that the response may have. */
  readonly pageSize: number;
  readonly respond: () => Promise<void>;
}

/** Reads the query parameters, so that admission knows what is asked for. Throws 400 when they are not valid. */
export type ReadEndpoint = (call: ApiCall) => Read;

export interface Route {
  readonly method: 'get' | 'post';
  readonly path: string;
  // What a key must be allowed to do.
  readonly scope: ApiKeyScope;
  readonly endpoint: Endpoint;
  // For the OpenAPI document.
  readonly operation: Operation;
}

// By the key's own scope. A key that may import may also read (rule AUTH-SCOPE-2).
const ALLOWS: Readonly<Record<ApiKeyScope, readonly ApiKeyScope[]>> = {
  read: ['read'],
  'employees:write': ['read', 'employees:write'],
};

/** Answers each route's methods, and 405 for the others. HEAD is answered like GET, without the body. Throws for a route without a scope. */
export function mountRoutes(app: Express, routes: readonly Route[]): void {
  for (const [path, methods] of Map.groupBy(routes, (route) => route.path)) {
    const place = app.route(path);
    for (const route of methods) place[route.method](routeHandler(route));
    place.all(methodNotAllowed(path, methods.map(({ method }) => method.toUpperCase()).join(', ')));
  }
}

function routeHandler({ method, path, scope, endpoint }: Route): RequestHandler {
  if (!(scope in ALLOWS)) throw new Error(`${method} ${path} has no scope: nobody may call it`);
  return async (request, response) => {
    const exchange = getRequestContext(request);
    exchange.route = path;
    const { requestId, receivedAt, caller } = exchange;
    if (caller === undefined || !ALLOWS[caller.scope].includes(scope)) throw missingScope(scope);
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

export function methodNotAllowed(path: string, allow: string): RequestHandler {
  return (request) => {
    getRequestContext(request).route = path;
    throw new Problem(405, `${path} does not take ${request.method}. It takes ${allow}.`, { headers: { Allow: allow } });
  };
}

export const pathNotFound: RequestHandler = () => {
  throw new Problem(
    404,
    'There is no endpoint at this path. Paths start with /v1, are case-sensitive and do not end with a slash.',
  );
};

const missingScope = (scope: ApiKeyScope): Problem =>
  new Problem(
    403,
    `The key is valid, but it does not carry the scope ${scope}, which this endpoint needs. Use a key that carries it.`,
  );

function clientAbortSignal(response: ServerResponse): AbortSignal {
  const hangUp = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) hangUp.abort();
  });
  return hangUp.signal;
}
