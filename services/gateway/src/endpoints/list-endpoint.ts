import type { ServerResponse } from 'node:http';
import type { Page } from '@survey/proto/common/v1/page.ts';
import type { CallOptions } from '@survey/rpc/upstream.ts';
import { acceptsGzip } from '../http/accept-encoding.ts';
import { remainingDeadlineMs, type ReadEndpoint } from './route.ts';

const DEADLINE_MS = 2_000;

/** Builds an endpoint that returns a page of a list as the upstream service rendered it. */
export function listEndpoint<Q extends { limit: number }>(
  readQuery: (url: string) => Q,
  list: (query: Q, accept_gzip: boolean, options: CallOptions, path: PathParameters) => Promise<Page>,
  deadlineMs = DEADLINE_MS,
): ReadEndpoint {
  return ({ request, response, caller, receivedAt }) => {
    const query = readQuery(request.url);
    const respond = async (): Promise<void> => {
      const accept_gzip = acceptsGzip(request.headers['accept-encoding']);
      const page = await list(
        query,
        accept_gzip,
        { caller, deadlineMs: remainingDeadlineMs(receivedAt, deadlineMs) },
        request.params,
      );
      sendPage(response, page);
    };
    return { pageSize: query.limit, respond };
  };
}

/** Sends a page as the upstream service rendered and compressed it, without parsing it. */
function sendPage(response: ServerResponse, { json, gzip }: Page): void {
  response.writeHead(200, {
    'Content-Type': 'application/json',
    'Content-Length': json.length,
    Vary: 'Accept-Encoding',
    ...(gzip && { 'Content-Encoding': 'gzip' }),
  });
  response.end(json);
}

// Decoded, by the names in the route's path.
export type PathParameters = Readonly<Record<string, string | string[]>>;
