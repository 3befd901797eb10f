import type { EmployeeEdit, Fact } from '@survey/proto/intake/v1/intake.ts';
import { expect, it } from 'vitest';
import { openReconcilerDatabase } from '../support/import/reconciling-account.ts';
import { attribute, newWorkforce, R } from '../reconcile/workforce.ts';

const database = await openReconcilerDatabase();
const MAX = 10_000;
const REFUSED = 'too_many_values';

const edit = (importId: string, more: Partial<EmployeeEdit>, revision = 1): Fact => ({
  revision,
  line: 1,
  employee_edit: { employee: { import_id: importId }, attributes: [], cleared: [], ...more },
});
const values = (count: number, name = 'a') => Array.from({ length: count }, (_, nth) => ({ name, value: `v${nth}` }));

it('refuses facts that give an employee more than 10,000 values, and applies the others', async () => {
  const { account, person } = await newWorkforce(database, [R(1)]);
  expect(await account.tell([edit('E1', { attributes: values(MAX) })])).toEqual([]);
  const more = edit('E1', { attributes: [{ name: 'b', value: 'v' }] }, 2);
  expect(await account.tell([more, edit('E1', { lastname: 'Lee' }, 2)])).toEqual([REFUSED]);
  expect(await person('E1')).toMatchObject({ lastname: 'Lee', attributes: { a: { length: MAX } } });
  expect(await account.tell([edit('E1', { attributes: [{ name: 'a', value: 'v1' }] }, 3), more])).toEqual([]);
  expect(await person('E1')).toMatchObject({ attributes: { a: ['v1'], b: ['v'] } });
});

it('applies facts about employees with many values in parts that fit into memory', async () => {
  const people = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
  const { account, person } = await newWorkforce(
    database,
    people.map((n) => R(n)),
  );
  for (const n of people) await account.tell([edit(`E${n}`, { attributes: values(MAX) })]);
  expect(await account.tell(people.map((n) => edit(`E${n}`, { lastname: 'Lee' })))).toEqual([]);
  for (const n of people) expect(await person(`E${n}`)).toMatchObject({ lastname: 'Lee', attributes: { a: { length: MAX } } });
});

it('refuses a whole employee who has more than 10,000 newer edits', async () => {
  const { account } = await newWorkforce(database);
  const whole = (revision: number): Fact => ({
    revision,
    line: 1,
    employee: { id: 7, email: 'x@x.io', is_deleted: false, created_via: 'file', attributes: [] },
  });
  const names = Array.from({ length: MAX }, (_, nth) => ({ name: `a${nth}`, value: undefined }));
  const clearing: Fact = { revision: 9, line: 2, employee_edit: { employee: { id: 7 }, attributes: names, cleared: [] } };
  expect(await account.tell([whole(1)])).toEqual([]);
  expect(await account.tell([clearing])).toEqual([]);
  expect(await account.tell([whole(2)])).toEqual([REFUSED]);
  expect(await account.tell([whole(10)])).toEqual([]);
});

it('skips a record with which its employee would have more than 250,000 values', async () => {
  const attributes = (from: number) => Array.from({ length: 125_000 }, (_, nth) => attribute(`a${from + nth}`, 'v'));
  const { import: send } = await newWorkforce(database, [R(1, { attributes: attributes(0) }), R(2)]);
  expect((await send([R(1, { attributes: attributes(125_000) }), R(2)])).counts).toMatchObject({ updated: 1, unchanged: 1 });
  const { counts, records } = await send([R(1, { attributes: attributes(250_000) }), R(2)]);
  expect(counts).toMatchObject({ skipped: 1, unchanged: 1 });
  expect(records).toMatchObject([{ index: 0, reasons: ['attributes_too_many /employees/0/attributes'] }]);
});

it('reads every record again after facts made a chain of 6,000 supervisors [IMPORT-SUPERVISORS-4]', async () => {
  const { account, import: send } = await newWorkforce(database, [R(1), R(2)]);
  const chain = Array.from({ length: 6_000 }, (_, nth): Fact => {
    const supervisor = nth === 0 ? { import_id: 'E1' } : { id: nth };
    const employee = { id: nth + 1, email: `f${nth}@x.io`, is_deleted: false, created_via: 'file', attributes: [], supervisor };
    return { revision: 1, line: nth, employee };
  });
  for (let from = 0; from < chain.length; from += 1_000) expect(await account.tell(chain.slice(from, from + 1_000))).toEqual([]);
  const { rows } = await database.db.query(
    'select count(content_hash)::integer as count from imports.employee where account_id = $1',
    [account.accountId],
  );
  expect(rows).toEqual([{ count: 0 }]);
  expect((await send([R(1), R(2)])).counts).toMatchObject({ unchanged: 2 });
});
