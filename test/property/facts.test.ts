import * as fc from 'fast-check';
import { Fact } from '@survey/proto/intake/v1/intake.ts';
import { expect, test } from 'vitest';
import { fact, statedPeople } from './facts.ts';
import { checkInParallel } from './parallel-property.ts';
import type { Circumstances, SentRecord } from '../support/import/organisation.ts';
import { createReconcilingAccount, openReconcilerDatabase } from '../support/import/reconciling-account.ts';

const database = await openReconcilerDatabase();

const SEEDS = Number(process.env['FACT_SEEDS'] ?? 25);
const AROUND: Circumstances = { year: 2026, defaultLanguage: 'de', threshold: '20', deletesAllowed: false };
const IMPORTED: SentRecord[] = [1, 2].map((n) => ({
  import_id: `E${n}`,
  email: `i${n}@x.io`,
  firstname: 'Ann',
  lastname: 'Lee',
}));

interface Delivery {
  // Positions in the list of facts: each at least once, some twice.
  readonly order: readonly number[];
  // Facts per message.
  readonly atOnce: number;
  // Number of messages before the import that adds E1 and E2.
  readonly importAfter: number;
}

interface Story {
  readonly facts: readonly Fact[];
  readonly deliveries: readonly Delivery[];
}

const delivery = (count: number): fc.Arbitrary<Delivery> =>
  fc.record({
    order: fc
      .tuple(fc.array(fc.nat(count - 1), { maxLength: Math.ceil(count * 0.3) }), fc.integer())
      .chain(([repeated]) => fc.shuffledSubarray([...Array(count).keys(), ...repeated], { minLength: count + repeated.length })),
    atOnce: fc.integer({ min: 1, max: count }),
    importAfter: fc.nat(count),
  });

// No final address is contested: otherwise the first fact would win.
const story: fc.Arbitrary<Story> = fc
  .array(fact, { minLength: 1, maxLength: 8 })
  .map((facts) => facts.map((each, line) => ({ ...each, line })))
  .filter((facts) => hasAddressesOfTheirOwn(facts))
  .chain((facts) =>
    fc.record({ facts: fc.constant(facts), deliveries: fc.array(delivery(facts.length), { minLength: 2, maxLength: 2 }) }),
  );

function hasAddressesOfTheirOwn(facts: readonly Fact[]): boolean {
  const active = statedPeople(facts, IMPORTED).filter(({ isDeleted }) => !isDeleted);
  return new Set(active.map(({ email }) => email)).size === active.length;
}

test(`facts end in the same state in any order, late and repeated: ${SEEDS} stories [DATA-DATASET-1]`, { timeout: 300_000 }, () =>
  checkInParallel(SEEDS, story, endsAsStated),
);

async function endsAsStated({ facts, deliveries }: Story): Promise<void> {
  const ends = await Promise.all(deliveries.map((one) => deliver(facts, one)));
  expect(ends[0]?.people).toEqual(statedPeople(facts, IMPORTED));
  for (const end of ends) expect(end).toEqual(ends[0]);
}

async function deliver(facts: readonly Fact[], { order, atOnce, importAfter }: Delivery) {
  const account = await createReconcilingAccount(database);
  const messages: Fact[][] = [];
  for (let at = 0; at < order.length; at += atOnce) {
    messages.push(order.slice(at, at + atOnce).flatMap((position) => facts[position] ?? []));
  }
  const importAt = Math.min(importAfter, messages.length);
  for (const message of messages.slice(0, importAt)) await account.tell(message);
  await account.importSnapshot(IMPORTED, AROUND);
  await account.retryWaiting();
  for (const message of messages.slice(importAt)) await account.tell(message);
  const before = await account.readRows();
  // Delivers everything once more: nothing may change.
  await account.tell(facts);
  expect(await account.readRows()).toEqual(before);
  const { people } = await account.read();
  return { people, rows: before };
}

// An e-mail column that slipped by one row: everybody gets an address that somebody still has.
test('facts along a chain of 3,000 addresses are applied in linear time, by turns', async () => {
  const account = await createReconcilingAccount(database);
  const size = 3_000;
  const employee = (id: number, of: number, revision: number): Fact => ({
    revision,
    line: id,
    employee: { id, email: `f${of}@x.io`, is_deleted: false, created_via: 'file', attributes: [] },
  });
  const ids = Array.from({ length: size }, (_, nth) => nth + 1);
  const facts = [...ids.map((id) => employee(id, id, 0)), ...ids.map((id) => employee(id, id + 1, 1))];
  const begun = process.cpuUsage();
  for (let at = 0; at < facts.length; at += 500) await account.tell(facts.slice(at, at + 500));
  // An import, a message or another account has its turn in between.
  expect(await account.retryWaiting()).toBeGreaterThan(3);
  // Comparing everybody again for each address takes more than 20 s.
  expect(process.cpuUsage(begun).user / 1_000_000).toBeLessThan(10);
  const { rows } = await database.db.query<{ moved: string }>(
    `select count(*) as moved from imports.employee where account_id = $1 and email = 'f' || id + 1 || '@x.io'`,
    [account.accountId],
  );
  expect(Number(rows[0]?.moved)).toBe(size);
});

test('waiting facts are read in batches of 4 MiB', async () => {
  const account = await createReconcilingAccount(database);
  const values = Array.from({ length: 1_200 }, () => ({ name: 'n'.repeat(250), value: 'v'.repeat(250) }));
  const edits = Array.from({ length: 8 }, (_, line): Fact => {
    return { revision: line, line, employee_edit: { employee: { import_id: 'E1' }, attributes: values, cleared: [] } };
  });
  for (const edit of edits) await account.tell([edit]);
  await account.importSnapshot(IMPORTED, AROUND);
  // Two batches, and a pass that finds nothing.
  expect(await account.retryWaiting()).toBe(3);
});

// A former release may have accepted it.
test('a waiting fact that is no longer valid becomes a dead letter, and the others are applied', async () => {
  const account = await createReconcilingAccount(database);
  const edit = (line: number, more: object): Fact => {
    return { revision: 0, line, employee_edit: { employee: { import_id: 'E1' }, attributes: [], cleared: [], ...more } };
  };
  await account.tell([edit(1, { firstname: 'Bo' }), edit(2, { lastname: 'Li' })]);
  const invalid = Buffer.from(Fact.encode(edit(1, { firstname: 'x'.repeat(256) })).finish());
  await database.db.query('update imports.deferred_fact set fact = $2 where account_id = $1 and line = 1', [
    account.accountId,
    invalid,
  ]);
  await account.importSnapshot(IMPORTED, AROUND);
  await account.retryWaiting();
  const { rows } = await database.db.query(
    `select (select count(*)::int from imports.deferred_fact where account_id = $1) as waiting,
       (select reason from imports.dead_letter where account_id = $1) as reason,
       (select firstname || ' ' || lastname from imports.employee where account_id = $1 and import_id = 'E1') as name`,
    [account.accountId],
  );
  expect(rows).toEqual([{ waiting: 0, reason: expect.stringContaining('firstname'), name: 'Ann Li' }]);
});
