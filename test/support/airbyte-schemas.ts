import type { OpenApiDocument } from '@survey/gateway/openapi/document.ts';

type Keywords = Readonly<Record<string, unknown>>;

const ID = { type: 'integer' };
const TEXT = { type: 'string' };

// Schema of a stream's records in the OpenAPI document, and the fields that the manifest adds.
const STREAMS: Readonly<Record<string, readonly [string, Keywords]>> = {
  employees: ['Employee', {}],
  surveys: ['Survey', {}],
  survey_cycles: ['SurveyCycle', {}],
  questions: ['Question', {}],
  survey_assignments: ['SurveyAssignment', {}],
  initiatives: ['Initiative', {}],
  attributes: ['Attribute', {}],
  attribute_options: ['AttributeOption', { attribute_id: ID }],
  text_responses: ['TextResponse', {}],
  scores: [
    'Score',
    {
      survey_id: { type: 'integer' },
      cycle_id: TEXT,
      cycle_opened_at: { type: 'string', format: 'date-time' },
      question_ids: TEXT,
    },
  ],
};

/**
 * Returns the part `schemas` of clients/airbyte/manifest.yaml, with a line of JSON per stream.
 */
export function airbyteSchemas({ components }: OpenApiDocument): string {
  const schemas = Object(components?.schemas) as Readonly<Record<string, Keywords>>;
  const lines = Object.entries(STREAMS).map(([stream, [name, added]]) => {
    const { properties, ...schema } = Object(reduced(schemas[name], schemas)) as Keywords;
    const all = { ...Object(properties), ...added };
    return `  ${stream}: ${JSON.stringify({ ...schema, properties: all, additionalProperties: true })}\n`;
  });
  return `# Generated from the OpenAPI document by \`npm test -- --only system openapi -u\`.\nschemas:\n${lines.join('')}`;
}

// Keeps what destinations use: references replaced, null as a type, no constraints on values.
function reduced(schema: unknown, schemas: Readonly<Record<string, Keywords>>): unknown {
  const { $ref, anyOf, type, format, items, properties, additionalProperties } = Object(schema) as Keywords;
  if (typeof $ref === 'string') return reduced(schemas[$ref.split('/').at(-1) ?? ''], schemas);
  if (Array.isArray(anyOf)) {
    const [main] = anyOf.filter((option: Keywords) => option['type'] !== 'null').map((option) => reduced(option, schemas));
    const { type: mainType, ...rest } = Object(main) as Keywords;
    return { type: [mainType, 'null'], ...rest };
  }
  const nested = Object.entries(Object(properties) as Keywords).map(([name, property]) => [name, reduced(property, schemas)]);
  return {
    type,
    format,
    ...(items !== undefined && { items: reduced(items, schemas) }),
    ...(properties !== undefined && { properties: Object.fromEntries(nested) }),
    ...(additionalProperties !== undefined && { additionalProperties: reduced(additionalProperties, schemas) }),
  };
}
