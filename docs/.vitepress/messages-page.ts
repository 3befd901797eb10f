import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';

const ref = z.object({ $ref: z.string() });
const schema = z.looseObject({
  properties: z.record(z.string(), z.looseObject({ description: z.string().default('') })),
  examples: z.array(z.unknown()).default([]),
});
const asyncapi = z.object({
  channels: z.record(z.string(), z.object({ address: z.string(), messages: z.record(z.string(), ref) })),
  components: z.object({
    messages: z.record(z.string(), z.object({ summary: z.string(), payload: ref })),
    schemas: z.record(z.string(), z.unknown()),
  }),
});

const nameIn = ({ $ref }: z.infer<typeof ref>): string => $ref.split('/').at(-1) ?? '';

/** Writes the page of all events from docs/asyncapi.yaml. */
export async function messagesPage(): Promise<string> {
  const { channels, components } = asyncapi.parse(parse(await readFile(new URL('../asyncapi.yaml', import.meta.url), 'utf8')));
  const rows = Object.values(channels).flatMap(({ address, messages }) =>
    Object.values(messages).map((message) => {
      const { summary, payload } = components.messages[nameIn(message)] ?? { summary: '', payload: { $ref: '' } };
      return { address, summary, payload: nameIn(payload) };
    }),
  );
  return [
    '# Event messages',
    'Subjects, payloads and their JSON views. [Events](../events.md) describes delivery, order and replay.',
    '| Subject | Published when | Payload |\n|---|---|---|',
    ...rows.map(({ address, summary, payload }) => `| \`${address}\` | ${summary} | [${payload}](#${payload.toLowerCase()}) |`),
    ...[...new Set(rows.map(({ payload }) => payload))].map((name) => payloadSection(name, components.schemas[name])),
  ].join('\n');
}

function payloadSection(name: string, source: unknown): string {
  const { properties, examples } = schema.parse(source);
  const rows = Object.entries(properties).map(([field, { description }]) => `| \`${field}\` | ${description} |`);
  const views = examples.map((example) => `\`\`\`json\n${JSON.stringify(example, undefined, 2)}\n\`\`\``);
  return ['', `## ${name}`, '', '| Field | Value |', '|---|---|', ...rows, '', ...views].join('\n');
}
