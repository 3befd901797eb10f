import { performance } from 'node:perf_hooks';
import type { Fact } from '@survey/proto/intake/v1/intake.ts';
import { describe, expect, it } from 'vitest';
import type { SentRecord } from '../support/import/organisation.ts';
import { openReconcilerDatabase } from '../support/import/reconciling-account.ts';
import { newWorkforce, R } from '../reconcile/workforce.ts';

const database = await openReconcilerDatabase();

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);
const REJECTED = { role: 'nobody' };

/** A snapshot in which each of `count` employees has the address of the next one. */
function slipped(count: number, last: Partial<SentRecord>): SentRecord[] {
  return numbers(count).map((n) => (n === count ? R(n, last) : R(n, { email: R(n + 1).email })));
}

describe('employees who exchange addresses', () => {
  it('skips a column that slipped by one row when its last record is skipped [IMPORT-EMAILS-5]', async () => {
    const people = await newWorkforce(
      database,
      numbers(300).map((n) => R(n)),
    );
    expect((await people.import(slipped(300, REJECTED))).counts).toMatchObject({ skipped: 300 });
    expect((await people.import(slipped(300, { email: 'free@x.io' }))).counts).toMatchObject({ updated: 300 });
  });

  it('closes a cycle, and skips all of one with a skipped record and what follows from it [IMPORT-EMAILS-5]', async () => {
    const people = await newWorkforce(
      database,
      numbers(300).map((n) => R(n)),
    );
    const cycle = slipped(200, { email: R(1).email });
    // Records 201 to 300 want the address of the first hundred, whom the cycle has already served.
    const star = numbers(100).map((n) => R(200 + n, { email: R(n).email }));
    expect((await people.import([...cycle, ...star])).counts).toMatchObject({ updated: 200, skipped: 100 });
    const turned = cycle.map(({ email }, at) => R(at + 1, { email: cycle[(at + 1) % 200]?.email ?? email }));
    const broken = turned.map((record, at) => (at === 77 ? { ...record, ...REJECTED } : record));
    expect((await people.import([...broken, ...numbers(100).map((n) => R(200 + n))])).counts).toMatchObject({ skipped: 200 });
  });

  it('takes time in proportion to the length of a cascade', { timeout: 120_000 }, async () => {
    const secondsFor = async (count: number): Promise<number> => {
      const people = await newWorkforce(
        database,
        numbers(count).map((n) => R(n)),
      );
      const startedAt = performance.now();
      expect((await people.import(slipped(count, REJECTED))).counts).toMatchObject({ skipped: count });
      return (performance.now() - startedAt) / 1_000;
    };
    const short = await secondsFor(2_000);
    expect(await secondsFor(16_000)).toBeLessThan(Math.max(3, 30 * short));
  });
});

it('applies 140,000 records of which the first gets the address [IMPORT-EMAILS-3]', { timeout: 300_000 }, async () => {
  const people = await newWorkforce(database);
  const { counts } = await people.import(numbers(140_000).map((n) => R(n, { email: 'info@x.io' })));
  expect(counts).toMatchObject({ created: 1, skipped: 139_999 });
});

it('takes no longer for a message when thousands of facts already wait for its employee', { timeout: 120_000 }, async () => {
  const addressOf = (n: number): string => `taken${n}@x.io`;
  const people = await newWorkforce(database, [R(1), ...numbers(14_000).map((n) => R(n + 1, { email: addressOf(n) }))]);
  const took: number[] = [];
  for (const message of numbers(14)) {
    const facts = numbers(1_000).map((n): Fact => {
      const line = (message - 1) * 1_000 + n;
      const moved = { employee: { import_id: 'E1' }, attributes: [], cleared: [], email: addressOf(line) };
      return { revision: line, line, employee_edit: moved };
    });
    const startedAt = performance.now();
    expect(await people.account.tell(facts)).toHaveLength(1_000);
    took.push(performance.now() - startedAt);
  }
  expect(Math.min(...took.slice(-4))).toBeLessThan(3 * Math.min(...took.slice(0, 2)));
});

it('applies an edit behind 10,000 that wait for nobody, in several turns', { timeout: 120_000 }, async () => {
  const people = await newWorkforce(database);
  const edit = (n: number): Fact => {
    const employee = { import_id: n === 10_500 ? 'E1' : `nobody${n}` };
    return { revision: 1, line: n, employee_edit: { employee, attributes: [], cleared: [], lastname: 'Edited' } };
  };
  for (let at = 0; at < 10_500; at += 1_000)
    await people.account.tell(
      numbers(1_000)
        .map((n) => edit(at + n))
        .slice(0, 10_500 - at),
    );
  await people.import([R(1)]);
  expect(await people.account.retryWaiting()).toBeGreaterThan(1);
  expect(await people.person('E1')).toMatchObject({ lastname: 'Edited' });
});

it('assigns supervisors behind 10,000 employees whose own are unknown, in several turns', { timeout: 120_000 }, async () => {
  const { account } = await newWorkforce(database);
  const BOSS = 1_000_000;
  const employee = (id: number, supervisor?: number): Fact => ({
    revision: 1,
    line: id,
    employee: {
      id,
      email: `e${id}@x.io`,
      is_deleted: false,
      created_via: 'app',
      attributes: [],
      ...(supervisor && { supervisor: { id: supervisor } }),
    },
  });
  for (let at = 0; at < 12_000; at += 1_000) {
    const employees = numbers(1_000).map((n) => employee(at + n, n % 20 === 0 ? BOSS : BOSS + n));
    expect(await account.tell(employees)).toEqual([]);
  }
  await account.tell([employee(BOSS)]);
  // Two of the turns look for edits among all that waits.
  expect(await account.retryWaiting()).toBeGreaterThan(2);
  const { rows } = await database.db.query(
    'select count(*)::integer from imports.employee where account_id = $1 and supervisor_id = $2',
    [account.accountId, BOSS],
  );
  expect(rows).toEqual([{ count: 600 }]);
});

it(
  'takes no longer for new values with other letters than ASCII [IMPORT-ATTRIBUTES-VALUES-5]',
  { timeout: 120_000 },
  async () => {
    const people = await newWorkforce(database);
    const durationOf = async (department: string): Promise<number> => {
      const records = numbers(10_000).map((n) =>
        R(n, { attributes: [{ name: department, value: { name: `${department.repeat(15)} ${n}` } }] }),
      );
      const startedAt = performance.now();
      await people.import(records);
      return performance.now() - startedAt;
    };
    await durationOf('Einkauf');
    const plain = await durationOf('Vertrieb Sued');
    expect(await durationOf('Vertrieb Süd')).toBeLessThan(3 * plain);
  },
);
