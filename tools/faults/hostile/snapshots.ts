import * as fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import type { SentRecord } from '../../../test/support/import/organisation.ts';
import type { Shape, Target } from './shape.ts';

// Whose address each employee takes, of `size` employees.
const GRAPHS: Readonly<Record<string, (nth: number, size: number, random: number) => number>> = {
  'a chain': (nth) => nth + 1,
  'a star': () => 0,
  'cycles of ten': (nth, size) => Math.min(nth - (nth % 10) + ((nth + 1) % 10), size - 1),
  'one cycle': (nth, size) => (nth + 1) % size,
  'pairs that swap': (nth, size) => Math.min(nth ^ 1, size - 1),
  'the reverse': (nth, size) => size - 1 - nth,
  chance: (_, size, random) => random % size,
};

const SKIPPED = { nobody: 0, 'the last': -1, 'every hundredth': 100, 'every second': 2 };

/** Second snapshots in which addresses move between known employees. */
export const conflictShape: fc.Arbitrary<Shape> = fc
  .record({
    graph: fc.constantFrom(...Object.keys(GRAPHS)),
    skipped: fc.constantFrom(...Object.keys(SKIPPED)) as fc.Arbitrary<keyof typeof SKIPPED>,
    reversed: fc.boolean(),
    seed: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  })
  .map(({ graph, skipped, reversed, seed }) => ({
    name: `e-mail addresses move along ${graph}, skipped: ${skipped}${reversed ? ', in reverse order' : ''}`,
    sizes: [1_000, 10_000, 100_000],
    prepare: (target: Target, size: number) =>
      send(
        target,
        records(size, (nth) => nth),
      ),
    attack: (target: Target, size: number) => {
      let state = seed;
      const random = (): number => (state = (state * 48_271) % 2_147_483_647);
      const moved = records(size, (nth) => GRAPHS[graph]?.(nth, size, random()) ?? nth);
      const every = SKIPPED[skipped];
      const withSkipped = moved.map((record, nth) =>
        every === -1 ? skipIf(record, nth === size - 1) : every > 0 ? skipIf(record, nth % every === 0) : record,
      );
      return send(target, reversed ? withSkipped.toReversed() : withSkipped);
    },
  }));

const SUPERVISORS: Readonly<Record<string, (nth: number, size: number) => number>> = {
  'one chain': (nth) => nth + 1,
  'one cycle': (nth, size) => (nth + 1) % size,
  'cycles of two': (nth) => nth ^ 1,
  'one supervisor': () => 0,
  themselves: (nth) => nth,
};

/** Snapshots whose supervisors form extreme graphs. */
export const supervisorShape: fc.Arbitrary<Shape> = fc.constantFrom(...Object.keys(SUPERVISORS)).map((graph) => ({
  name: `everybody reports to: ${graph}`,
  sizes: [1_000, 10_000, 100_000],
  attack: (target: Target, size: number) =>
    send(
      target,
      records(size, (nth) => nth).map((record, nth) => ({
        ...record,
        reports_to_id: `P${SUPERVISORS[graph]?.(nth, size) ?? nth}`,
      })),
    ),
}));

/** Snapshots with many attributes, values and grants, which the account has never had. */
export const dictionaryShape: fc.Arbitrary<Shape> = fc
  .record({
    perPerson: fc.constantFrom(1, 10, 100),
    what: fc.constantFrom('values', 'attributes', 'spellings', 'long values', 'grants'),
    nights: fc.constantFrom(1, 2),
  })
  .map(({ perPerson, what, nights }) => ({
    name: `${perPerson} new ${what} per person, ${nights === 1 ? 'once' : 'twice'}`,
    sizes: [1_000, 10_000, 100_000, 1_000_000],
    attack: async (target: Target, size: number) => {
      const people = Math.max(1, Math.floor(size / perPerson));
      let told = '';
      for (let night = 0; night < nights; night += 1) {
        const snapshot = records(people, (nth) => nth).map((record, nth) => ({
          ...record,
          ...entries(what, perPerson, nth * perPerson, night),
        }));
        told = await send(target, snapshot);
      }
      return told;
    },
  }));

function entries(what: string, count: number, first: number, night: number): Partial<SentRecord> {
  const each = <T>(make: (nth: number) => T): T[] => Array.from({ length: count }, (_, nth) => make(nth));
  const value = (nth: number): string => `v${night}-${first + nth}`;
  if (what === 'grants') {
    const grants = each((nth) => ({ attribute: { name: 'a0' }, value: { name: value(nth) } }));
    return { role: 'Manager', permissions: { grants } };
  }
  const names: Readonly<Record<string, (nth: number) => [string, string]>> = {
    values: (nth) => [`a${nth}`, value(nth)],
    // An attribute has at most this many names.
    attributes: (nth) => [`a${night}-${(first + nth) % 5_000}`, 'v'],
    spellings: (nth) => [nth % 2 === 0 ? ` A${nth}` : `a${nth} `, `${nth % 2 === 0 ? 'X' : 'x'}${first % 1_000}`],
    'long values': (nth) => [`a${nth}`, `${'é'.repeat(200)}${value(nth)}`],
  };
  return {
    attributes: each((nth) => {
      const [name, text] = names[what]?.(nth) ?? ['', ''];
      return { name, value: { name: text } };
    }),
  };
}

function records(count: number, addressOf: (nth: number) => number): SentRecord[] {
  return Array.from({ length: count }, (_, nth) => ({
    import_id: `P${nth}`,
    email: `p${addressOf(nth)}@x.io`,
    firstname: 'Ann',
    lastname: 'Lee',
  }));
}

// A language that does not exist: the rule that skips an employee alone.
const skipIf = (record: SentRecord, isSkipped: boolean): SentRecord => (isSkipped ? { ...record, language: 'zz' } : record);

function send(target: Target, employees: readonly SentRecord[]): Promise<string> {
  const json = `{"employees":[${employees.map((record) => JSON.stringify(record)).join(',')}]}`;
  return target.import({ body: gzipSync(json, { level: 1 }), isGzip: true });
}
