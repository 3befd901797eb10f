import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiOverride } from 'zod-openapi';
import type { Operation } from '../endpoints/operation.ts';
import type { Route } from '../endpoints/route.ts';
import { codeSamples } from './code-samples.ts';
import { responsesOf } from './operation-responses.ts';

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
