import { z } from 'zod';

const reference = z.object({ $ref: z.string() });
const property = z.looseObject({
  $ref: z.string().optional(),
  description: z.string().optional(),
  enum: z.array(z.string()).optional(),
  items: z.looseObject({ $ref: z.string().optional(), enum: z.array(z.string()).optional() }).optional(),
});
const message = z.object({ summary: z.string(), 'x-protobuf': z.string() });
const payload = z.looseObject({ description: z.string().optional(), properties: z.record(z.string(), property).default({}) });
const asyncapi = z.object({
  channels: z.record(z.string(), z.object({ address: z.string(), messages: z.record(z.string(), reference) })),
  components: z.object({ messages: z.record(z.string(), message), schemas: z.record(z.string(), payload) }),
});

/** Returns the tables of subjects and of the fields of their messages, from docs/asyncapi.yaml. */
export function eventTables(document: unknown): string {
  const { channels, components } = asyncapi.parse(document);
  const { messages, schemas } = components;
  const subjects = Object.values(channels).map(({ address, messages: sent }) => {
    const { summary, 'x-protobuf': type } = message.parse(messages[Object.keys(sent)[0] ?? '']);
    return { address, summary, type: lastOf(type, '.') };
  });
  const payloads = [...new Set(subjects.map(({ type }) => type))];
  const parts = Object.keys(schemas).filter((name) =>
    payloads.some((type) =>
      Object.values(schemas[type]?.properties ?? {}).some((about) => partOf(about) === name && hasFields(name)),
    ),
  );
  function hasFields(name: string): boolean {
    return Object.keys(schemas[name]?.properties ?? {}).length > 0;
  }
  const fieldsOf = (name: string): string[] => {
    const { description, properties } = payload.parse(schemas[name]);
    const rows = Object.entries(properties).map(([field, about]) => {
      const part = partOf(about);
      const values = about.enum ?? about.items?.enum;
      const meaning = [
        about.description ?? schemas[part ?? '']?.description,
        values && `${about.items === undefined ? 'One' : 'Any'} of ${values.map((value) => `\`${value}\``).join(', ')}.`,
        parts.includes(part ?? '') ? `See [${part}](#${part?.toLowerCase()}).` : undefined,
      ];
      return `| \`${field}\` | ${meaning.filter(Boolean).join(' ')} |`;
    });
    return [
      `### ${name}`,
      '',
      ...(description === undefined ? [] : [description, '']),
      '| Field | Meaning |',
      '|---|---|',
      ...rows,
      '',
    ];
  };
  return [
    '## Subjects',
    '',
    '| Subject | Published when | Message |',
    '|---|---|---|',
    ...subjects.map(({ address, summary, type }) => `| \`${address}\` | ${summary} | [${type}](#${type.toLowerCase()}) |`),
    '',
    '## Messages',
    '',
    ...[...payloads, ...parts].flatMap(fieldsOf),
    '## Headers',
    '',
    ...fieldsOf('CloudEventHeaders').slice(2),
  ].join('\n');
}

function partOf({ $ref, items }: z.output<typeof property>): string | undefined {
  const pointer = $ref ?? items?.$ref;
  return pointer === undefined ? undefined : lastOf(pointer, '/');
}

function lastOf(text: string, separator: string): string {
  return text.split(separator).at(-1) ?? '';
}
