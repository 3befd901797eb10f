import * as fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import type { Shape, Target } from './shape.ts';

// What is sent instead of, or as, the value of a property.
const ITEMS = [
  '0',
  'null',
  'true',
  '1e999',
  '""',
  '"x"',
  '"\\u0000"',
  '"\\ud83d"',
  '"😀"',
  '{}',
  '[]',
  '[{}]',
  '{"name":"a"}',
  '{"name":"a","value":{"name":"b"}}',
  '{"attribute":{"name":"a"},"value":{"name":"b"}}',
  '{"import_id":"1","email":"e@x.io","firstname":"A","lastname":"B"}',
];

// How the item is repeated.
const REPEATED: Readonly<Record<string, (item: string, size: number) => string>> = {
  'items of a list': (item, size) => `[${`${item},`.repeat(size - 1)}${item}]`,
  'values of one key': (item, size) => `{${`"a":${item},`.repeat(size - 1)}"a":${item}}`,
  'values of different keys': (item, size) => `{${list(size, (nth) => `"k${nth.toString(36)}":${item}`)}}`,
  'lists inside lists': (item, size) => `${'['.repeat(size)}${item}${']'.repeat(size)}`,
  'objects inside objects': (item, size) => `${'{"value":'.repeat(size)}${item}${'}'.repeat(size)}`,
  'one text': (item, size) => JSON.stringify(item.repeat(size)),
  'a number of many digits': (_, size) => '9'.repeat(size),
};

// Where it stands. `%` is replaced.
const PLACES: Readonly<Record<string, string>> = {
  'the body': '%',
  employees: '{"employees":%}',
  'a record': '{"employees":[%]}',
  attributes: record('"attributes":%'),
  'the value of an attribute': record('"attributes":[{"name":"a","value":%}]'),
  permissions: record('"permissions":%'),
  grants: record('"role":"Manager","permissions":{"grants":%}'),
  'an e-mail address': record('"email":%'),
  'an unknown property': record('"unknown":%'),
};

// How the bytes travel.
const ENCODINGS = ['none', 'gzip', 'gzip in members of 1 KiB'] as const;

const SIZES: readonly number[] = [10_000, 100_000, 1_000_000];

interface BodyParts {
  readonly item: string;
  readonly repeated: string;
  readonly place: string;
  readonly encoding: (typeof ENCODINGS)[number];
}

/** A body with one item repeated in one place. */
export function bodyAttack({ item, repeated, place, encoding }: BodyParts, sizes = SIZES): Shape {
  return {
    name: `body: ${item} as ${repeated}, in ${place}, encoding ${encoding}`,
    sizes,
    attack: (target: Target, size: number) => {
      const content = REPEATED[repeated]?.(item, size) ?? '';
      return target.import(encoded(PLACES[place]?.replace('%', () => content) ?? '', encoding));
    },
  };
}

/** JSON bodies of an import that are wrong, or valid, in many places at once. */
export const bodyShape: fc.Arbitrary<Shape> = fc
  .record({
    item: fc.constantFrom(...ITEMS),
    repeated: fc.constantFrom(...Object.keys(REPEATED)),
    place: fc.constantFrom(...Object.keys(PLACES)),
    encoding: fc.constantFrom(...ENCODINGS),
  })
  .map((parts) => bodyAttack(parts));

function record(more: string): string {
  return `{"employees":[{"import_id":"1","email":"e@x.io","firstname":"A","lastname":"B",${more}}]}`;
}

function list(size: number, item: (nth: number) => string): string {
  return Array.from({ length: size }, (_, nth) => item(nth)).join(',');
}

function encoded(json: string, encoding: (typeof ENCODINGS)[number]): { body: Buffer; isGzip: boolean } {
  const body = Buffer.from(json);
  if (encoding === 'none') return { body, isGzip: false };
  if (encoding === 'gzip') return { body: gzipSync(body, { level: 9 }), isGzip: true };
  const members: Buffer[] = [];
  for (let at = 0; at < body.length; at += 1_024) members.push(gzipSync(body.subarray(at, at + 1_024), { level: 1 }));
  return { body: Buffer.concat(members), isGzip: true };
}
