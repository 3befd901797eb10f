import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Page } from '@survey/proto/common/v1/page.ts';
import type { CallOptions } from '@survey/rpc/upstream.ts';
import { acceptsGzip } from '../http/accept-encoding.ts';
import { Problem, toParameterProblem } from '../http/problem.ts';
import { remainingDeadlineMs, type ReadEndpoint } from './route.ts';

const DEADLINE_MS = 2_000;

// What every list's request contains in addition to its query parameters, which have their public
// names.
interface RequestedForm {
  readonly accept_gzip: boolean;
  readonly if_none_match: string | undefined;
}

/** Builds an endpoint that returns a page of a list as the upstream service rendered it. */
export function listEndpoint<Q extends { limit: number }>(
  readQuery: (url: string) => Q,
  list: (request: Q & RequestedForm, options: CallOptions, path: PathParameters) => Promise<Page>,
  deadlineMs = DEADLINE_MS,
): ReadEndpoint {
  return ({ request, response, caller, receivedAt }) => {
    const query = readQuery(request.url);
    const respond = async (hold: (bytes: number) => void): Promise<void> => {
      const { 'accept-encoding': encodings, 'if-none-match': if_none_match } = request.headers;
      const page = await list(
        { ...query, accept_gzip: acceptsGzip(encodings), if_none_match },
        { caller, deadlineMs: remainingDeadlineMs(receivedAt, deadlineMs) },
        request.params,
      ).catch((error: unknown) => {
        throw toParameterProblem(error);
      });
      checkIfMatch(request, page.etag);
      hold(page.json.length);
      sendPage(response, page);
    };
    return { pageSize: query.limit, respond };
  };
}

export const preconditionFailed = (): Problem =>
  new Problem(412, 'None of the ETags in If-Match is current. Omit the header to read what is there now.');

/**
 * Evaluates If-Match (RFC 9110, 13.1.1), in which no weak validator matches.
 * @throws 412 unless the header is absent, `*` or contains the ETag
 */
export function checkIfMatch({ headers: { 'if-match': ifMatch = '*' } }: IncomingMessage, etag?: string | null): void {
  const members = ifMatch.split(',').map((member) => member.trim());
  if (ifMatch.trim() !== '*' && !members.some((member) => member === etag)) throw preconditionFailed();
}

/** Sends a page as the upstream service rendered and compressed it, without parsing it. */
function sendPage(response: ServerResponse, { json, gzip, etag }: Page): void {
  // A private cache may keep what it can validate (rule LISTS-ETAG-1).
  const validators = etag == null ? {} : { ETag: etag, 'Cache-Control': 'private, no-cache' };
  const headers = { ...validators, Vary: 'Accept-Encoding' };
  if (json.length === 0) {
    response.writeHead(304, headers).end();
    return;
  }
  response.writeHead(200, {
    ...headers,
    'Content-Type': 'application/json',
    'Content-Length': json.length,
    ...(gzip && { 'Content-Encoding': 'gzip' }),
  });
  response.end(json);
}

// Decoded values of the route's path, by their names in it.
export type PathParameters = Readonly<Record<string, string | string[]>>;
