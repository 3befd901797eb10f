import { z } from 'zod';

const property = z.looseObject({
  $ref: z.string().optional(),
  description: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  format: z.string().optional(),
  enum: z.array(z.string()).optional(),
  examples: z.array(z.string()).optional(),
  get items() {
    return property.optional();
  },
  get anyOf() {
    return z.array(property).optional();
  },
  get properties() {
    return z.record(z.string(), property).optional();
  },
});
type Property = z.output<typeof property>;

const line = z.object({ title: z.string(), properties: z.record(z.string(), property), required: z.array(z.string()) });
const schema = z.object({ anyOf: z.array(line) });

const SHARED: Readonly<Record<string, string>> = {
  id: 'integer',
  date_time: 'datetime',
  translated: 'text by language',
  employee_reference: 'employee reference',
};

/** Returns a table of the properties of each kind of line, from docs/dataset.schema.json. */
export function datasetTables(json: unknown): string {
  return schema
    .parse(json)
    .anyOf.map(({ title, properties, required }) => {
      const rows = Object.entries(properties)
        .filter(([name]) => name !== 'kind' && name !== 'revision')
        .map(([name, about]) => {
          const meaning = [about.description, about.examples && `Such as ${codes(about.examples)}.`].filter(Boolean).join(' ');
          return `| \`${name}\` | ${typeOf(about)} | ${required.includes(name) ? 'yes' : 'no'} | ${meaning} |`;
        });
      return [`## ${title}`, '', '| Property | Type | Required | Meaning |', '|---|---|---|---|', ...rows, ''].join('\n');
    })
    .join('\n');
}

function typeOf(about: Property): string {
  const shared = SHARED[about.$ref?.split('/').at(-1) ?? ''];
  if (shared !== undefined) return shared;
  if (about.enum !== undefined) return codes(about.enum);
  // The other one is null, or an employee reference that an id may replace.
  if (about.anyOf !== undefined)
    return about.anyOf
      .filter(({ type }) => type !== 'null')
      .map(typeOf)
      .join(' or ');
  if (about.type === 'array') return `array of ${typeOf(about.items ?? {})}`;
  if (about.properties !== undefined)
    return `\`{${Object.keys(about.properties)
      .map((name) => `"${name}"`)
      .join(', ')}}\``;
  if (about.format === 'uuid') return 'UUID';
  const type = [about.type].flat().find((name) => name !== 'null');
  return type === 'string' ? 'text' : (type ?? 'any');
}

const codes = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');
