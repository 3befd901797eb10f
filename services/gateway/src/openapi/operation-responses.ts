import { z } from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { API_KEY_SCOPES } from '@survey/formats/api-key.ts';
import type { Operation } from '../endpoints/operation.ts';
import type { Route } from '../endpoints/route.ts';
import { PROBLEM_TYPE } from '../http/problem.ts';
import { EXAMPLES, problemExample } from './examples.ts';

const requestId = z.string().meta({
  header: { id: 'X-Request-Id' },
  description: 'The id of this request. Quote it in support requests.',
  example: '01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11',
});
const retryAfter = z.int().meta({ header: { id: 'Retry-After' }, description: 'Seconds to wait before the next attempt.' });
const challenge = z
  .string()
  .meta({ header: { id: 'WWW-Authenticate' }, description: 'Names the header that must contain the key.' });

const EVERYWHERE: NonNullable<Operation['problems']> = {
  400: 'The request is malformed; `errors` names every invalid parameter.',
  401: 'X-Api-Key is missing, empty or invalid, or the key has expired. `detail` says so only if the key has expired.',
  429: 'The key has used up its requests of this minute, or the account has too many concurrent requests. Wait for the seconds in Retry-After.',
  500: 'Unexpected error, typically transient. Retry with exponential backoff.',
  503: 'Temporarily unavailable. Retry after the time in Retry-After, with exponential backoff.',
};
const former = (name: string, description: string) =>
  z.int().meta({
    header: { id: name, deprecated: true },
    description: `${description} Use RateLimit: this header goes with the next release.`,
  });
const rateLimit = {
  'RateLimit-Policy': z.string().meta({
    header: { id: 'RateLimit-Policy' },
    description: 'The requests that a key may make (`q`) in a window of so many seconds (`w`); a structured field (RFC 9651).',
    example: '"default";q=60000;w=60',
  }),
  RateLimit: z.string().meta({
    header: { id: 'RateLimit' },
    description:
      'The requests that remain (`r`), and the seconds until all are available again (`t`); a structured field (RFC 9651).',
    example: '"default";r=59999;t=42',
  }),
  'RateLimit-Limit': former('RateLimit-Limit', 'Maximum requests of the key per minute.'),
  'RateLimit-Remaining': former('RateLimit-Remaining', 'Remaining requests in the current minute.'),
  'RateLimit-Reset': former('RateLimit-Reset', 'Seconds until all requests are available again.'),
};
const always = { 'X-Request-Id': requestId };
const HEADERS: Readonly<Record<string, z.ZodRawShape>> = {
  401: { 'WWW-Authenticate': challenge },
  409: { 'Retry-After': retryAfter },
  429: { 'Retry-After': retryAfter, ...rateLimit },
  503: { 'Retry-After': retryAfter },
};

const VALIDATOR = {
  ETag: z
    .string()
    .meta({
      header: { id: 'ETag' },
      description: 'Names what the list shows, for If-None-Match. Absent for an hour after an upgrade of the service.',
      example: '"2jmj7l5rSw0yVb_vlWAYkK_YBwk"',
    })
    .optional(),
};

/**
 * Returns an endpoint's success response, its own problems, and the problems that all endpoints
 * have.
 */
export function responsesOf({ operation, scopes, isConditional = false }: Route): ZodOpenApiResponsesObject {
  const { id, success, problems } = operation;
  const scope = scopes.length < API_KEY_SCOPES.length && { 403: `The key does not have the scope ${scopes[0]}.` };
  const { status, description, headers, links, schema } = success;
  return {
    [status]: {
      description,
      headers: z.object({ ...always, ...rateLimit, ...(isConditional && VALIDATOR), ...headers }),
      content: { 'application/json': { schema, example: EXAMPLES[id] } },
      ...(links && { links }),
    },
    ...(isConditional && {
      304: {
        description: 'Nothing that this page shows has changed since the response whose ETag was sent. No body.',
        headers: z.object({ ...always, ...rateLimit, ...VALIDATOR }),
      },
    }),
    ...Object.fromEntries(
      Object.entries({ ...EVERYWHERE, ...scope, ...problems }).map(([status, text]) => [
        status,
        problem(status, text, problemExample(id, status)),
      ]),
    ),
    default: problem(
      'default',
      'Any other problem, such as 405 for another method or 431 for headers above 16 KiB, the URL included.',
      problemExample(id, '405'),
    ),
  };
}

function problem(status: string, description: string, example: unknown): ZodOpenApiResponseObject {
  const headers = z.object({ ...always, ...HEADERS[status] });
  return { description, headers, content: { [PROBLEM_TYPE]: { schema: problemSchema, example } } };
}

const fault = z
  .object({
    detail: z.string().describe('What is wrong, in words.'),
    pointer: z.string().optional().describe('Location in the body: a JSON pointer (RFC 6901).'),
    import_id: z.string().optional().describe('The import_id of the record that the pointer leads into, if it is valid.'),
    parameter: z.string().optional().describe('Name of the query parameter.'),
    header: z.string().optional().describe('Name of the header.'),
  })
  .meta({ id: 'Fault', description: 'One fault of the request; it names one of pointer, parameter and header.' });

/** Schema of the body that problemBody in problem.ts writes. */
const problemSchema = z
  .object({
    type: z
      .string()
      .describe('`urn:survey:problem:` and a name, one for each status; `/docs#problem-` and the name says what it means.'),
    title: z.string().describe('The type in words.'),
    status: z.int().describe('The status of the response.'),
    detail: z.string().describe('What is wrong and what to do, for people to read. It never repeats a value that was sent.'),
    instance: z.string().describe('The id of the request, as in X-Request-Id. Quote it in support requests.'),
    errors: z.array(fault).optional().describe('The first 100 faults of the request.'),
    errors_total: z.int().optional().describe('Total number of faults.'),
  })
  .meta({ id: 'Problem', description: 'The body of every error response (RFC 9457).' });
