import assert from 'node:assert';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { findDuplicateKeys } from './read-employee.ts';
import { createElementHasher } from './content-hash.ts';
import { KnownHashes } from './known-hashes.ts';
import { readSnapshot } from './read-snapshot.ts';

const hasher = await createElementHasher('salt');

// ---- Reference: the whole body at once, with JSON.parse and simple checks. ----

type Check = (value: unknown) => boolean;

const isString: Check = (value) => typeof value === 'string' && value.isWellFormed() && !value.includes('\0');
const isName: Check = (value) => isString(value) && String(value).trim() !== '';
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

function object(required: Record<string, Check>, optional: Record<string, Check> = {}): Check {
  const known = new Map(Object.entries({ ...required, ...optional }));
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const entries = Object.entries(value);
    const areThere = Object.keys(required).every((key) => Object.hasOwn(value, key));
    return areThere && entries.every(([key, child]) => known.get(key)?.(child) ?? false);
  };
}

const named = object({ name: isName });
const permissions = object(
  {},
  { all_data: (value) => typeof value === 'boolean', grants: listOf(object({ attribute: named, value: named })) },
);
const employee = object(
  { import_id: isString, email: isString, firstname: isString, lastname: isString },
  {
    language: orNull(isString),
    reports_to_id: orNull(isString),
    role: orNull(isString),
    permissions: orNull(permissions),
    attributes: listOf(object({ name: isName, value: orNull(named) })),
  },
);
const body = object({ employees: (value) => Array.isArray(value) && value.length > 0 && value.every(employee) });

/** Returns the employees of a valid body, otherwise undefined. */
function reference(bytes: Buffer): unknown[] | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    findDuplicateKeys(text, (path) => assert.fail(path.join()));
    return body(value) ? Object(value).employees : undefined;
  } catch {
    return undefined;
  }
}

// ---- Generators of bodies. ----

const text = fc.oneof(
  { weight: 60, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }) },
  { weight: 20, arbitrary: fc.constantFrom('E1', '"', '\\', '}],', '\\"', 'é\u{1f600}', '\u{fffd}', '\\u0000') },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', '\0', '\u{d800}') },
);
const names = fc.record({ name: text });
const grants = fc.array(fc.record({ attribute: names, value: names }), { maxLength: 3 });
const record = fc.record(
  {
    import_id: text,
    email: text,
    firstname: text,
    lastname: text,
    language: fc.option(text),
    reports_to_id: fc.option(text),
    role: fc.option(text),
    permissions: fc.option(fc.record({ all_data: fc.boolean(), grants }, { requiredKeys: [] })),
    attributes: fc.array(fc.record({ name: text, value: fc.option(names) }), { maxLength: 3 }),
  },
  { requiredKeys: ['import_id', 'email', 'firstname', 'lastname'] },
);
const mostlyRecords = fc.array(
  fc.oneof({ weight: 40, arbitrary: record }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) }),
  { maxLength: 5 },
);
const wrapper = fc.oneof(
  { weight: 9, arbitrary: fc.record({ employees: mostlyRecords }) },
  { weight: 1, arbitrary: fc.record({ dry_run: fc.jsonValue({ maxDepth: 3 }), employees: mostlyRecords }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);
const REPEATED_KEY = '"email":"first","email":';
const written = fc
  .tuple(wrapper, fc.constantFrom(undefined, 1, '\t'), fc.boolean(), fc.constantFrom('', '\u{feff}', ' \n'), fc.nat({ max: 19 }))
  .map(([value, space, isEscaped, before, oneIn20]) => {
    const json = JSON.stringify(value, undefined, space).replace('"email":', oneIn20 === 0 ? REPEATED_KEY : '"email":');
    return Buffer.from(before + (isEscaped ? json.replaceAll(/[^\n\t -~]/g, escapeUnit) : json));
  });

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Replaces, inserts or removes one byte, preferably a meaningful one. */
const damage = fc.record({
  perMille: fc.noBias(fc.nat({ max: 999 })),
  isReplaced: fc.boolean(),
  by: fc.option(fc.oneof(fc.constantFrom(...Buffer.from('{}[]",:\\ 0nu')), fc.constantFrom(0xff, 0xc3, 0x01))),
});
const damages = fc.oneof(fc.constant([]), fc.array(damage, { maxLength: 2 }));
type Damage = typeof damage extends fc.Arbitrary<infer One> ? One : never;
const damaged = fc.tuple(written, damages).map(([bytes, all]) => harm(bytes, all));

function harm(bytes: Buffer, all: readonly Damage[]): Buffer {
  let result = bytes;
  for (const { perMille, isReplaced, by } of all) {
    const index = Math.floor((perMille * result.length) / 1000);
    result = Buffer.concat([
      result.subarray(0, index),
      Buffer.from(by === null ? [] : [by]),
      result.subarray(index + (isReplaced ? 1 : 0)),
    ]);
  }
  return result;
}

const cuts = fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 8 });

async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let turn = 0;
  for (let at = 0; at < bytes.length; turn += 1) {
    const size = (sizes[turn % sizes.length] ?? 0) + (turn % sizes.length === 0 ? 1 : 0);
    // A copy that is overwritten after use: a source may reuse its buffer.
    const chunk = Buffer.from(bytes.subarray(at, at + size));
    yield chunk;
    chunk.fill(0x7a);
    at += size;
  }
}

/** State left by an earlier body: its employees, and their hashes in its order. */
interface Before {
  employees: readonly unknown[];
  hashes: readonly Buffer[];
}

async function read(source: AsyncIterable<Uint8Array>, before: Before = { employees: [], hashes: [] }) {
  const employees: unknown[] = [];
  const hashes: Buffer[] = [];
  const known = new KnownHashes(before.hashes.length);
  for (const [ord, hash] of before.hashes.entries()) known.add(ord, hash);
  const { findings, fieldErrorsTotal } = await readSnapshot(source, {
    encoding: 'identity',
    hasher,
    knownHashes: known,
    onKnown: (ord, index) => (employees[index] = before.employees[ord]),
    onUnknown: async (batch) => {
      for (const { index, record, hash } of batch) {
        employees[index] = record;
        hashes.push(hash);
      }
    },
  });
  return { findings, fieldErrorsTotal, employees, hashes };
}

const RUNS = Number(process.env['READING_SEEDS'] ?? 300);

test('accepts the same bodies as JSON.parse with simple checks, and reads the same employees', async () => {
  const verdicts = { accepted: 0, rejected: 0 };
  await fc.assert(
    fc.asyncProperty(damaged, cuts, async (bytes, sizes) => {
      const expected = reference(bytes);
      const { fieldErrorsTotal, employees } = await read(cut(bytes, sizes));
      expect(fieldErrorsTotal === 0 ? employees : undefined).toEqual(expected);
      verdicts[expected === undefined ? 'rejected' : 'accepted'] += 1;
    }),
    { numRuns: RUNS },
  );
  // The test proves something only if both outcomes are frequent.
  expect(Math.min(verdicts.accepted, verdicts.rejected)).toBeGreaterThan(RUNS / 10);
}, 60_000);

test('returns the same result for any chunk boundaries', async () => {
  await fc.assert(
    fc.asyncProperty(damaged, cuts, async (bytes, sizes) => {
      expect(await read(cut(bytes, sizes))).toEqual(await read(cut(bytes, [bytes.length])));
    }),
    { numRuns: RUNS / 2 },
  );
}, 60_000);

test('reads the same employees when some hashes are known, for any chunk boundaries', async () => {
  const verdicts = { accepted: 0, rejected: 0 };
  await fc.assert(
    fc.asyncProperty(written, damages, cuts, async (bytes, all, sizes) => {
      const before = await read(cut(bytes, [bytes.length]));
      fc.pre(before.fieldErrorsTotal === 0);
      const after = harm(bytes, all);
      const expected = reference(after);
      for (const by of [sizes, [after.length]]) {
        const { fieldErrorsTotal, employees } = await read(cut(after, by), before);
        expect(fieldErrorsTotal === 0 ? employees : undefined).toEqual(expected);
      }
      verdicts[expected === undefined ? 'rejected' : 'accepted'] += 1;
    }),
    { numRuns: RUNS / 2 },
  );
  expect(Math.min(verdicts.accepted, verdicts.rejected)).toBeGreaterThan(RUNS / 20);
}, 60_000);
