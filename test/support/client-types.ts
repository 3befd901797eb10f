import openapiTS, { astToString } from 'openapi-typescript';

const HEAD = `// Generated from the OpenAPI document of the gateway by \`npm test -- --only system openapi -u\`, and never edited.

`;

/** The types of packages/client, as they follow from the OpenAPI document. */
export async function clientTypes(openApiDocument: string): Promise<string> {
  // A default is for the service to fill in: whoever sends a request may leave the property out.
  return HEAD + astToString(await openapiTS(openApiDocument, { defaultNonNullable: false }));
}
