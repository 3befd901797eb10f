import { readFile } from 'node:fs/promises';
import schema from '@asyncapi/specs/schemas/3.1.0-without-$id.json' with { type: 'json' };
import { EVENTS } from '@survey/bus/events.ts';
import { FactPosition, ImportProgress } from '@survey/proto/events/v1/events.ts';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const asyncapi: unknown = parse(await readFile(new URL('../../docs/asyncapi.yaml', import.meta.url), 'utf8'));
const reference = z.object({ $ref: z.string() });
const { channels, operations } = z
  .object({
    channels: z.record(z.string(), z.object({ address: z.string(), messages: z.record(z.string(), reference) })),
    operations: z.record(z.string(), z.object({ channel: reference })),
  })
  .parse(asyncapi);
const messageSchema = z.object({ name: z.string(), 'x-protobuf': z.string(), payload: reference });
const properties = z.object({
  required: z.array(z.string()),
  properties: z.record(z.string(), z.unknown()),
  examples: z.array(z.record(z.string(), z.unknown())),
});

// All events that the code can publish: `enqueue` accepts no other.
const MESSAGES = { ...EVENTS, 'progress.import.{account_id}': ImportProgress, 'progress.facts.{consumer}': FactPosition };

function resolve(pointer: string): unknown {
  const steps = pointer.replace('#/', '').split('/');
  return steps.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined),
    asyncapi,
  );
}

function messageAt(address: string) {
  const channel = Object.values(channels).find((one) => one.address === address);
  const [message] = Object.values(channel?.messages ?? {});
  return messageSchema.parse(resolve(message?.$ref ?? ''));
}

function validatePayload($ref: string, example: unknown): unknown[] {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const validate = ajv.addSchema(Object(asyncapi) as object, 'asyncapi').compile({ $ref: `asyncapi${$ref}` });
  validate(example);
  return validate.errors ?? [];
}

interface Message {
  encode(value: never): { finish(): Uint8Array };
  decode(bytes: Uint8Array): object;
}

// Returns the JSON view of an example after it was a protobuf message; bytes are base64.
function throughProtobuf(type: Message, example: Readonly<Record<string, unknown>>): unknown {
  const bytes = (name: string, value: unknown): unknown => (name === 'key_hash' ? Buffer.from(String(value), 'base64') : value);
  const message = Object.fromEntries(Object.entries(example).map(([name, value]) => [name, bytes(name, value)]));
  const decoded = type.decode(type.encode(message as never).finish());
  return 'key_hash' in decoded
    ? { ...decoded, key_hash: Buffer.from(decoded.key_hash as Uint8Array).toString('base64') }
    : decoded;
}

describe('docs/asyncapi.yaml', () => {
  it('is an AsyncAPI 3.1 document', () => {
    const ajv = new Ajv({ strict: false, allErrors: true });
    addFormats.default(ajv);
    const validate = ajv.compile(schema);
    validate(asyncapi);
    expect(validate.errors ?? []).toEqual([]);
  });

  it('refers to nothing that is not there', () => {
    const references = [...JSON.stringify(asyncapi).matchAll(/"\$ref":"([^"]+)"/g)].map(([, pointer = '']) => pointer);
    expect(references.length).toBeGreaterThan(0);
    expect(references.filter((pointer) => resolve(pointer) === undefined)).toEqual([]);
  });

  it('names exactly the subjects that the code emits, each with the operation that sends it', () => {
    const addresses = Object.values(channels).map(({ address }) => address);
    expect(addresses.toSorted()).toEqual(Object.keys(MESSAGES).toSorted());
    const sent = Object.values(operations).map(({ channel }) => channel.$ref.replace('#/channels/', ''));
    expect(sent.toSorted()).toEqual(Object.keys(channels).toSorted());
  });

  it('has only payloads whose types @survey/events exports', async () => {
    const exported = await readFile(new URL('../../clients/events/src/index.ts', import.meta.url), 'utf8');
    const types = Object.keys(EVENTS).map((subject) => messageAt(subject)['x-protobuf'].split('.').at(-1) ?? '');
    expect(types.filter((type) => !new RegExp(`\\b${type}\\b`).test(exported))).toEqual([]);
  });

  it.each(Object.entries(MESSAGES))('%s has the type and the fields of its message', (address, message) => {
    const described = messageAt(address);
    const type = address.replace('events.', 'survey.').replace(/^progress\.(.*)\.\{.*/, 'survey.$1.progress');
    expect(described.name).toBe(type);
    // ts-proto sets all fields of a message decoded from zero bytes.
    const fields = Object.keys(message.decode(new Uint8Array()));
    const payload = properties.parse(resolve(described.payload.$ref));
    expect(Object.keys(payload.properties).toSorted()).toEqual(fields.toSorted());
    expect(payload.required.toSorted()).toEqual(fields.toSorted());
    for (const example of payload.examples) {
      expect(validatePayload(described.payload.$ref, example)).toEqual([]);
      expect(throughProtobuf(message, example)).toEqual(example);
    }
    expect(described.payload.$ref.split('/').at(-1)).toBe(described['x-protobuf'].split('.').at(-1));
  });
});
