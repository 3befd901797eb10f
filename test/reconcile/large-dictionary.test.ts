import { namedIds } from '@survey/import-reconciler/rules/dictionary-ids.ts';
import { expect, it, vi } from 'vitest';
import type { SentRecord } from '../support/import/organisation.ts';
import { openReconcilerDatabase } from '../support/import/reconciling-account.ts';
import { AROUND, attribute, newWorkforce, R } from './workforce.ts';

// A dictionary that does not fit into memory after the first batch of 100 records.
vi.mock(import('@survey/import-reconciler/tables/stored-dictionary.ts'), async (load) => ({
  ...(await load()),
  MAX_IN_MEMORY: 10,
}));

const database = await openReconcilerDatabase();
const taken = { email: 'taken@x.io' };
const RECORDS = 350;
const FIRST_APPLIED = 161;

/** Records with a new value each, a common one, and a spelling that changes with every record. */
function records(more: (n: number) => Partial<SentRecord> = () => ({})): SentRecord[] {
  return Array.from({ length: RECORDS }, (_, n) => {
    const spelled = ['Team', 'TEAM', 'team'][n % 3] ?? '';
    const attributes = [
      attribute(spelled, `T${n % 7}`),
      attribute('Phone', `P${n}`),
      ...(n < 150 ? [attribute('Old', 'x')] : []),
    ];
    return R(n, { attributes, ...more(n) });
  });
}

const sorted = (values: Iterable<string>): string[] => [...new Set(values)].toSorted();
const phones = (from: number): string[] => sorted(Array.from({ length: RECORDS - from }, (_, n) => `P${n + from}`));

it('reuses attributes and values of earlier batches', async () => {
  const people = await newWorkforce(database);
  expect((await people.import(records())).counts).toMatchObject({ created: RECORDS });
  const { attributes } = await people.account.read();
  expect(attributes).toMatchObject({ team: { name: 'Team' }, phone: { name: 'Phone' }, old: { name: 'Old', values: ['x'] } });
  expect(sorted(attributes['phone']?.values ?? [])).toEqual(phones(0));
  expect(sorted(attributes['team']?.values ?? [])).toEqual(['T0', 'T1', 'T2', 'T3', 'T4', 'T5', 'T6']);
  expect(attributes['phone']?.values).toHaveLength(RECORDS);

  // Every record changes, none of its values does.
  const renamed = await people.import(records(() => ({ lastname: 'New' })));
  expect(renamed.counts).toMatchObject({ updated: RECORDS });
  expect((await people.account.read()).attributes).toEqual(attributes);
});

it('keeps no name, value or spelling of records whose address is taken [IMPORT-LIFECYCLE-SKIP-2]', async () => {
  const people = await newWorkforce(database, [R(999, taken)]);
  // All have the address of somebody else up to a record of the second batch.
  const { counts } = await people.import([...records((n) => (n < FIRST_APPLIED ? taken : {})), R(999, taken)]);
  expect(counts).toMatchObject({ skipped: FIRST_APPLIED, created: RECORDS - FIRST_APPLIED });
  const { attributes } = await people.account.read();
  expect(Object.keys(attributes).toSorted()).toEqual(['phone', 'team']);
  expect(attributes['team']?.name).toBe(['Team', 'TEAM', 'team'][FIRST_APPLIED % 3]);
  expect(sorted(attributes['phone']?.values ?? [])).toEqual(phones(FIRST_APPLIED));
});

it('adds nothing when the import is cancelled [IMPORT-LIFECYCLE-CANCEL-2]', async () => {
  const people = await newWorkforce(database, [R(1_000), R(1_001)]);
  const before = await people.account.read();
  const outcome = await people.account.importSnapshot(records(), { ...AROUND, threshold: '20' });
  expect(outcome.state).toBe('cancelled');
  expect(await people.account.read()).toEqual(before);
});

it('gives two values of facts whose names have the same hash an id each', async () => {
  const people = await newWorkforce(database);
  const [one = '', other = ''] = valuesWithSameId();
  const fact = (id: number, value: string) => ({
    revision: 1,
    line: id,
    employee: {
      id,
      email: `e${id}@x.io`,
      created_via: 'app' as const,
      is_deleted: false,
      attributes: [{ name: 'Phone', value }],
    },
  });
  expect(await people.account.tell([fact(1, one)])).toEqual([]);
  expect(await people.account.tell([fact(2, other)])).toEqual([]);
  const { attributes } = await people.account.read();
  expect(sorted(attributes['phone']?.values ?? [])).toEqual(sorted([one, other]));
});

function valuesWithSameId(): string[] {
  const ids = namedIds({ attributeId: 1, optionId: 1 });
  const valueOf = new Map<number, string>();
  for (let n = 0; ; n += 1) {
    const id = ids.option('phone', `P${n}`, () => false);
    const earlier = valueOf.get(id);
    if (earlier !== undefined) return [earlier, `P${n}`];
    valueOf.set(id, `P${n}`);
  }
}
