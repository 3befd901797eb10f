import openapiTS, { astToString } from 'openapi-typescript';

const HEAD = `// Generated from the OpenAPI document of the gateway by \`npm test -- --only system openapi -u\`, and never edited.

`;

/** Checks the types of clients/typescript against the OpenAPI document. */
export async function clientTypes(openApiDocument: string): Promise<string> {
  // Properties with a default are optional in requests.
  return HEAD + astToString(await openapiTS(openApiDocument, { defaultNonNullable: false }));
}
