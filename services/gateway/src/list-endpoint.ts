import type { Page } from '@survey/rpc/gen/survey/export/v1/export.ts';
import type { CallOptions } from '@survey/rpc/upstream.ts';
import type { z } from 'zod';
import { acceptsGzip } from './accept-encoding.ts';
import { strictQuery } from './query.ts';
import type { Endpoint } from './route.ts';
import { sendPage } from './send-page.ts';
import { timeLeftMs } from './time-left.ts';

const DEADLINE_MS = 2_000;

/** An endpoint that answers with a page of a list, as the service behind has rendered it. */
export function listEndpoint<S extends z.ZodRawShape>(
  shape: S,
  list: (query: z.output<z.ZodObject<S>>, accept_gzip: boolean, options: CallOptions, path: PathParameters) => Promise<Page>,
  deadlineMs = DEADLINE_MS,
): Endpoint {
  const readQuery = strictQuery(shape);
  return async ({ request, response, caller, receivedAt }) => {
    const query = readQuery(request.url);
    const accept_gzip = acceptsGzip(request.headers['accept-encoding']);
    const page = await list(query, accept_gzip, { caller, deadlineMs: timeLeftMs(receivedAt, deadlineMs) }, request.params);
    sendPage(response, page);
  };
}

// As the route's path names them, decoded.
export type PathParameters = Readonly<Record<string, string | string[]>>;
