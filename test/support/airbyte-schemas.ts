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

const HEAD = '# Generated from the OpenAPI document by `npm test -- --only system openapi -u`.\n';

/**
 * Returns the part `schemas` of clients/airbyte/manifest.yaml, with a line of JSON per stream.
 */
export function airbyteSchemas(document: OpenApiDocument): string {
  const lines = streamSchemas(document).map(([stream, schema]) => `  ${stream}: ${JSON.stringify(schema)}\n`);
  return `${HEAD}schemas:\n${lines.join('')}`;
}

/**
 * Returns clients/dlt/survey_columns.py: the types of the columns of each stream's table, and of
 * the tables of the lists within its rows, by their path.
 */
export function dltColumns(document: OpenApiDocument): string {
  const lines = streamSchemas(document).map(([stream, schema]) => {
    const tables = [...tablesOf(schema)].map(([path, columns]) => {
      const key = path.map((name) => `${JSON.stringify(name)}, `).join('');
      return `        (${key.trimEnd()}): ${JSON.stringify(columns)},\n`;
    });
    return `    ${JSON.stringify(stream)}: {\n${tables.join('')}    },\n`;
  });
  return `${HEAD}COLUMNS: dict[str, dict[tuple[str, ...], dict[str, str]]] = {\n${lines.join('')}}\n`;
}

const DLT_TYPES: Readonly<Record<string, string>> = { integer: 'bigint', number: 'double', boolean: 'bool', string: 'text' };

// Objects within a row become columns of its table, lists of objects become tables.
function tablesOf(schema: Keywords, path: readonly string[] = [], prefix = ''): Map<readonly string[], Record<string, string>> {
  const columns: Record<string, string> = {};
  const tables = new Map<readonly string[], Record<string, string>>([[path, columns]]);
  for (const [name, property] of Object.entries(Object(schema['properties']) as Record<string, Keywords>)) {
    const [type] = [property['type']].flat();
    const column = `${prefix}${name}`;
    const simple = property['format'] === 'date-time' ? 'timestamp' : DLT_TYPES[String(type)];
    if (simple !== undefined) columns[column] = simple;
    const { items } = property;
    const nested =
      type === 'array' ? tablesOf(Object(items) as Keywords, [...path, column]) : tablesOf(property, path, `${column}__`);
    for (const [key, more] of nested) {
      if (key === path) Object.assign(columns, more);
      else if (Object.keys(more).length > 0) tables.set(key, more);
    }
  }
  return tables;
}

function streamSchemas({ components }: OpenApiDocument): [stream: string, schema: Keywords][] {
  const schemas = Object(components?.schemas) as Readonly<Record<string, Keywords>>;
  return Object.entries(STREAMS).map(([stream, [name, added]]) => {
    const { properties, ...schema } = Object(reduced(schemas[name], schemas)) as Keywords;
    return [stream, { ...schema, properties: { ...Object(properties), ...added }, additionalProperties: true }];
  });
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
