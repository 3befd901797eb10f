import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiOverride } from 'zod-openapi';
import type { Route } from '../route.ts';
import { ABOUT, API_KEY, API_VERSION } from './about.ts';
import { responsesOf } from './responses.ts';

export type OpenApiDocument = ReturnType<typeof createDocument>;

/** The OpenAPI 3.1 document of the routes, made of the schemas that check their requests and describe their answers. */
export function openApiDocument(routes: readonly Route[]): OpenApiDocument {
  const paths = Map.groupBy(routes, ({ path }) => path.replaceAll(/:(\w+)/g, '{$1}'));
  return createDocument(
    {
      openapi: '3.1.1',
      info: { title: 'Employee Engagement Survey Service', version: API_VERSION, description: ABOUT, license: LICENSE },
      servers: [{ url: '/', description: 'Where this document was fetched from.' }],
      tags: [
        { name: 'Export', description: 'Read-only lists.' },
        { name: 'Import', description: 'The way in.' },
      ],
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

const LICENSE = { name: 'Apache-2.0', identifier: 'Apache-2.0' };

function operationOf({ method, scope, operation }: Route): ZodOpenApiOperationObject {
  const { id, summary, description, since, query, path, headers, body } = operation;
  return {
    operationId: id,
    tags: [method === 'get' ? 'Export' : 'Import'],
    summary,
    description: since === undefined ? description : `${description}\n\nLive since ${since}.`,
    security: [{ apiKey: [scope] }],
    requestParams: {
      query: z.object(query),
      ...(path && { path: z.object(path) }),
      ...(headers && { header: z.object(headers) }),
    },
    ...(body && {
      requestBody: {
        description: body.description,
        required: true,
        content: { 'application/json': { schema: body.schema, example: body.example } },
      },
    }),
    responses: responsesOf(operation),
  };
}

const tidy: ZodOpenApiOverride = ({ zodSchema, jsonSchema, io }) => {
  const { def } = zodSchema._zod;
  // Answers may gain fields in a minor release: they are not closed, as requests are.
  if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  // zod leaves out the default of what it transforms, because it is of the other type; as text in a URL they are the same.
  if (io === 'input' && def.type === 'default') jsonSchema.default = def.defaultValue;
  // A boolean in a URL is one of two words, and so is its schema.
  if (jsonSchema.type === 'boolean') delete jsonSchema.enum;
  // That a whole number is a safe one, and a name a string, goes without saying.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  delete jsonSchema.propertyNames;
};
