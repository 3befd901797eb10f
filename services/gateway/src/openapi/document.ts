import { API_KEY_SCOPES } from '@survey/formats/api-key.ts';
import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
  type ZodOpenApiResponseObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import type { Operation } from '../endpoints/operation.ts';
import type { Route } from '../endpoints/route.ts';
import { PROBLEM_TYPE } from '../http/problem.ts';
import { codeSamples } from './code-samples.ts';
import { EXAMPLES, problemExample } from './examples.ts';

export type OpenApiDocument = ReturnType<typeof createDocument>;

/**
 * Builds the OpenAPI 3.1 document from the schemas that validate requests and describe responses.
 */
export function openApiDocument(routes: readonly Route[]): OpenApiDocument {
  const paths = Map.groupBy(routes, ({ path }) => path.replaceAll(/:(\w+)/g, '{$1}'));
  return createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Employee Engagement Survey Service',
        version: API_VERSION,
        description: ABOUT,
        contact: CONTACT,
        license: LICENSE,
      },
      servers: [{ url: '/', description: 'Where this document was fetched from.' }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: {
        securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: API_KEY } },
      },
      paths: Object.fromEntries(
        [...paths].map(([path, methods]) => [
          path,
          Object.fromEntries(methods.map((route) => [route.method, operationOf(route)])),
        ]),
      ),
    },
    { override: tidy },
  );
}

// A tag for each resource, named as in its path, so that generated clients have a module for each.
const TAGS: Readonly<Record<string, string>> = {
  attributes: 'Employee attributes that an account admin has released, and their options.',
  employees: 'The employees of the account, and the import of complete snapshots of them.',
  initiatives: 'Measures that follow from survey results.',
  questions: 'The questions of all surveys.',
  scores: 'Scores of questions over a period.',
  survey_assignments: 'Which employees are assigned to which surveys.',
  survey_cycles: 'The periods in which employees respond to a survey.',
  surveys: 'The surveys of the account.',
  text_responses: 'Free-text answers and their topics.',
};
const CONTACT = { name: 'The operator of this service' };
const LICENSE = { name: 'Apache-2.0', identifier: 'Apache-2.0' };

const ifNoneMatch = z
  .string()
  .optional()
  .describe('The ETag of a response that you still have, or several, or `*`. The answer is 304 if one of them is current.')
  .meta({ example: '"2jmj7l5rSw0yVb_vlWAYkK_YBwk"' });

function operationOf(route: Route): ZodOpenApiOperationObject {
  const { path: template, scopes, operation, isConditional = false } = route;
  const { id, summary, description, query, path, body } = operation;
  const headers = { ...operation.headers, ...(isConditional && { 'If-None-Match': ifNoneMatch }) };
  return {
    operationId: id,
    tags: [template.split('/')[2] ?? ''],
    summary,
    description: [description, ...notices(operation)].join('\n\n'),
    security: scopes.map((scope) => ({ apiKey: [scope] })),
    ...(operation.deprecation && { deprecated: true }),
    requestParams: {
      query: z.object(query),
      ...(path && { path: z.object(path) }),
      ...(Object.keys(headers).length > 0 && { header: z.object(headers) }),
    },
    ...(body && {
      requestBody: {
        description: body.description,
        required: true,
        content: { 'application/json': { schema: body.schema, example: body.example } },
      },
    }),
    responses: responsesOf(route),
    'x-codeSamples': codeSamples({ id, path: template.replaceAll(/:(\w+)/g, '{$1}'), values: examplesOf(operation) }),
  };
}

function notices({ since, deprecation }: Operation): string[] {
  return [
    ...(since === undefined ? [] : [`Live since ${since}.`]),
    ...(deprecation === undefined ? [] : [`Deprecated since ${deprecation.since}, and gone after ${deprecation.sunset}.`]),
  ];
}

// An example of each parameter that a request needs.
function examplesOf({ query, path = {} }: Operation): Parameters<typeof codeSamples>[0]['values'] {
  const required = Object.entries(query).filter(([, schema]) => !z.safeParse(schema, undefined).success);
  return [
    ...Object.keys(path).map((name) => ({ name, place: 'path' as const, type: 'integer', value: '1' })),
    ...required.map(([name, schema]) => {
      const { example, format, type } = z.globalRegistry.get(schema) ?? {};
      return { name, place: 'query' as const, type: String(format ?? type), value: String(example) };
    }),
  ];
}

const tidy: ZodOpenApiOverride = ({ zodSchema, jsonSchema, io }) => {
  const { def } = zodSchema._zod;
  // Responses may gain fields in a minor release, so unlike requests they are not closed.
  if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  // zod omits the default of a transformed value because its type differs; as URL text both are
  // equal.
  if (io === 'input' && def.type === 'default') jsonSchema.default = def.defaultValue;
  // A boolean in a URL is one of two strings, so its enum is redundant.
  if (jsonSchema.type === 'boolean') delete jsonSchema.enum;
  // Obvious constraints only clutter the document: safe integers in responses, and property names
  // that are strings.
  if (io === 'output' && jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (io === 'output' && jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  delete jsonSchema.propertyNames;
};

// CommonMark, as in OpenAPI, but only paragraphs and `code`, because
// documentation-page.ts renders nothing else. The conventions that all endpoints share.
const ABOUT = `
The service holds an organisation's employees, employee attributes, surveys (recurring, with cycles), questions, survey assignments, free-text answers and initiatives. It returns them as read-only lists, and accepts one kind of data: a complete snapshot of the workforce.

Every request under \`/v1\` must send an API key in the header \`X-Api-Key\`, and nowhere else. Keys come from the account's API keys page and allow reading: all of it (\`read\`), or a part (\`read:scores\`, \`read:texts\`, \`read:employees\`). Surveys, cycles, questions, attributes and their options contain nobody's name or answer, so each of these scopes allows them. The import requires a key with the scope \`employees:write\`, which is issued when the REST API integration is connected and may also read. A key without the scope that an endpoint requires is rejected with 403, which names the scope. A key may have a day on which it expires; after that it is rejected with 401, which says so.

Every list has the parameters \`limit\` (0 to 1000, default 100) and \`offset\` (default 0), and returns \`total_count\` and one array. More records exist while \`offset + limit < total_count\`. Total and page are consistent with each other; between two requests the list may grow.

A parameter that is unknown to the endpoint, repeated or empty is rejected with 400, because an ignored filter would return the wrong population. Datetimes are RFC 3339; the service returns them in UTC. URL-encode them: a plus sign is \`%2B\`.

The values of \`frequency\` (surveys), \`type\` (questions) and \`role\` (employees) are extensible: clients must tolerate values that are added later. They are strings here, with the known values in \`x-extensible-enum\`. Minor releases may also add fields to responses: ignore unknown fields.

Every error is returned as \`application/problem+json\` (RFC 9457). After 429, 500 and 503, retry with exponential backoff, and not before the time in \`Retry-After\`; a 409 of the import has it, too. \`RateLimit-Policy\` has the requests that a key may make per minute, \`RateLimit\` how many remain. Every response has an \`X-Request-Id\`: that of the request, if it has at most 128 of the characters \`A-Z a-z 0-9 _ . ~ : = + / @ -\`.

Lists of stored records have an \`ETag\`, which stays the same until what the list shows changes. Send it back in \`If-None-Match\` to get 304 without a body if it is still current. Scores and free-text answers have none.

Responses are compressed for clients that send \`Accept-Encoding: gzip\`. HEAD returns the same headers as GET, without the body.
`.trim();

export const API_VERSION = '1.4.0';

const API_KEY =
  'An API key of the account. Its scope is `read` for every GET, `read:scores`, `read:texts` or `read:employees` for a part of them, or `employees:write` for every GET and the import.';

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
const deprecatedHeader = (name: string, description: string) =>
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
  'RateLimit-Limit': deprecatedHeader('RateLimit-Limit', 'Maximum requests of the key per minute.'),
  'RateLimit-Remaining': deprecatedHeader('RateLimit-Remaining', 'Remaining requests in the current minute.'),
  'RateLimit-Reset': deprecatedHeader('RateLimit-Reset', 'Seconds until all requests are available again.'),
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
function responsesOf({ operation, scopes, isConditional = false }: Route): ZodOpenApiResponsesObject {
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
