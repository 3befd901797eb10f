import { EmployeeEvent } from '@survey/proto/events/v1/events.ts';
import { connect } from '@nats-io/transport-node';
import { afterAll, describe, expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { answers } from '../support/answers.ts';
import { releaseAttributes } from '../support/attributes.ts';
import { eventsOf } from '../support/events.ts';
import { cycle, openIntake, uuidOf } from '../support/facts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { R } from '../support/records.ts';
import { openScoreFixture } from '../support/score-fixture.ts';
import { openTextFixture, textResponses } from '../support/text-fixture.ts';

// Renaming and merging values of attributes (docs/rules/attributes.md).
const files = await startFileStack();
const { api, db, operator, importAndWait, listEmployees } = files;
const intake = await openIntake(files.stack);
const { fixture: textFixture, state, texts, read, people } = await openTextFixture(files);
const bus = await connect({ servers: files.stack.natsUrl });
afterAll(() => bus.close());
const AS_OPERATOR = { caller: { requestId: 'test' }, deadlineMs: 10_000 };

const inDept = (name: string): Readonly<Record<string, unknown>> => ({ attributes: [{ name: 'Dept', value: { name } }] });
const grantOn = (name: string): Readonly<Record<string, unknown>> => ({
  role: 'Manager',
  permissions: { grants: [{ attribute: { name: 'Dept' }, value: { name } }] },
});
const SNAPSHOT = [
  R(1, inDept('Sales')),
  R(2, inDept('SALES')),
  R(3, { ...inDept('Eng'), ...grantOn('SALES') }),
  R(4, { ...inDept('SALES'), ...grantOn('SALES') }),
];

interface Change {
  readonly attribute?: string;
  readonly value: string;
  readonly newName: string;
  readonly mapsOldName?: boolean;
  readonly merges?: boolean;
  readonly preview?: boolean;
}

const request = ({ accountId }: Account, { attribute = 'Dept', value, newName, mapsOldName = true, ...more }: Change) =>
  operator.admin.changeAttributeValue(
    { account_id: accountId, attribute, value, new_name: newName, maps_old_name: mapsOldName, preview: false, ...more },
    AS_OPERATOR,
  );

async function valuesOf({ accountId }: Account, attribute = 'Dept') {
  const wanted = { account_id: accountId, attribute, search: '', limit: 0, offset: 0 };
  return (await operator.admin.listAttributeValues(wanted, AS_OPERATOR)).values;
}

async function change(account: Account, wanted: Change): Promise<void> {
  await request(account, wanted);
  const pending = async () => (await valuesOf(account, wanted.attribute)).filter(({ new_name }) => new_name != null);
  await expect.poll(pending, { timeout: 20_000, interval: 20 }).toEqual([]);
}

// The value of each employee, by import_id.
async function departments(account: Account) {
  const { employees } = await listEmployees(account);
  return Object.fromEntries(
    employees.map(({ import_id, attributes }) => [
      import_id ?? '',
      attributes.flatMap(({ attribute_values }) => attribute_values.map(({ name }) => name)).join(),
    ]),
  );
}

async function idOf(account: Account, name: string): Promise<number> {
  const value = (await valuesOf(account)).find((each) => each.name === name);
  if (value === undefined) throw new Error(`there is no value ${name}`);
  return value.option_id;
}

async function imported(): Promise<Account> {
  const account = await operator.createAccount();
  expect(await importAndWait(account, SNAPSHOT)).toMatchObject({ state: 'applied', counts: { created: 4 } });
  return account;
}

describe('employees and grants', () => {
  it('gives the other value to employees and grants, once each, and says so [ATTRIBUTES-MERGE-1, ATTRIBUTES-MERGE-5]', async () => {
    const account = await imported();
    const { accountId, readKey } = account;
    const { rows } = await db.query<{ id: number }>('select id from imports.attribute where account_id = $1', [accountId]);
    const attribute = rows[0]?.id ?? 0;
    await releaseAttributes(db, accountId, [attribute]);
    const pages = ['/v1/employees', '/v1/attributes', `/v1/attributes/${attribute}/options`];
    const etags = () => Promise.all(pages.map(async (page) => (await api.get(page, readKey)).headers.get('etag')));
    const before = await etags();
    const sales = await idOf(account, 'Sales');
    expect(await request(account, { value: 'SALES', newName: 'Sales', preview: true })).toMatchObject({
      merges: true,
      value: { name: 'SALES', employees: 2, grantees: 2 },
      into: { name: 'Sales', employees: 1, grantees: 0 },
    });
    await change(account, { value: 'SALES', newName: 'Sales', merges: true });
    expect(await departments(account)).toEqual({ E1: 'Sales', E2: 'Sales', E3: 'Eng', E4: 'Sales' });
    expect(await valuesOf(account)).toMatchObject([
      { option_id: sales, name: 'Sales', employees: 3, grantees: 2, other_names: ['SALES'] },
      { name: 'Eng', employees: 1, grantees: 0, other_names: [] },
    ]);
    expect((await api.get(`/v1/attributes/${attribute}/options`, readKey)).body).toMatchObject({ total_count: 2 });
    for (const [index, etag] of (await etags()).entries()) expect(etag).not.toBe(before[index]);
    const { rows: grants } = await db.query(
      `select granted_option_ids from imports.employee where account_id = $1 and cardinality(granted_option_ids) > 0`,
      [accountId],
    );
    expect(grants).toEqual([{ granted_option_ids: [sales] }, { granted_option_ids: [sales] }]);
    const { entries } = await operator.admin.listAudit({ account_id: accountId, limit: 1 }, AS_OPERATOR);
    expect(entries[0]).toMatchObject({ action: 'attribute.value.merge', outcome: 'done' });
  });

  it('publishes which employees have changed, and no event of an import [ATTRIBUTES-MERGE-5]', async () => {
    const account = await imported();
    await change(account, { value: 'SALES', newName: 'Sales' });
    const events = await eventsOf(db, bus, account.accountId);
    const updated = events.filter(({ what }) => what === 'employee.updated').map(({ payload }) => EmployeeEvent.decode(payload));
    expect(updated.map(({ import_uuid }) => import_uuid)).toEqual(['', '', '']);
    const fields = updated.flatMap(({ employees }) => employees.map(({ changed_fields }) => changed_fields.join()));
    expect(fields.sort()).toEqual(['attributes', 'attributes,permissions', 'permissions']);
  });

  it('keeps one value for an employee who had both [ATTRIBUTES-MERGE-1]', async () => {
    const account = await imported();
    const both = [await idOf(account, 'Sales'), await idOf(account, 'SALES')];
    await db.query(`update imports.employee set option_ids = $2 where account_id = $1 and import_id = 'E1'`, [
      account.accountId,
      both,
    ]);
    await change(account, { value: 'Sales', newName: 'SALES' });
    expect(await departments(account)).toMatchObject({ E1: 'SALES', E2: 'SALES' });
  });

  it('renames a value under its id [ATTRIBUTES-MERGE-1]', async () => {
    const account = await imported();
    const id = await idOf(account, 'Eng');
    await change(account, { value: 'Eng', newName: 'Engineering', merges: false });
    expect(await idOf(account, 'Engineering')).toBe(id);
    expect(await departments(account)).toMatchObject({ E3: 'Engineering' });
  });
});

describe('the next import', () => {
  it('takes the old name for the new one if the admin chose so, and changes nothing [ATTRIBUTES-MERGE-2]', async () => {
    const account = await imported();
    await change(account, { value: 'SALES', newName: 'Sales' });
    await change(account, { value: 'Eng', newName: 'Engineering' });
    const changed = SNAPSHOT.map((record) => ({ ...record, lastname: 'Changed' }));
    const counts = { created: 0, unchanged: 4, updated: 0 };
    expect(await importAndWait(account, SNAPSHOT)).toMatchObject({ state: 'applied', counts });
    expect(await importAndWait(account, changed)).toMatchObject({ counts: { updated: 4 } });
    expect(await departments(account)).toEqual({ E1: 'Sales', E2: 'Sales', E3: 'Engineering', E4: 'Sales' });
    expect((await valuesOf(account)).map(({ name }) => name)).toEqual(['Sales', 'Engineering']);
    const again = [...changed, R(5, { ...inDept('Eng'), ...grantOn('Eng') })];
    expect(await importAndWait(account, again)).toMatchObject({ counts: { created: 1, unchanged: 4 } });
    expect(await departments(account)).toMatchObject({ E5: 'Engineering' });
    expect(await valuesOf(account)).toMatchObject([
      { name: 'Sales', grantees: 2 },
      { name: 'Engineering', grantees: 1 },
    ]);
  });

  it('creates the old name again, under another id, if the admin chose so [ATTRIBUTES-MERGE-2]', async () => {
    const account = await imported();
    const [sales, eng] = [await idOf(account, 'SALES'), await idOf(account, 'Eng')];
    await change(account, { value: 'SALES', newName: 'Sales', mapsOldName: false });
    await change(account, { value: 'Eng', newName: 'Engineering', mapsOldName: false });
    expect(await departments(account)).toEqual({ E1: 'Sales', E2: 'Sales', E3: 'Engineering', E4: 'Sales' });
    expect(await importAndWait(account, SNAPSHOT)).toMatchObject({ counts: { updated: 3, unchanged: 1 } });
    expect(await departments(account)).toEqual({ E1: 'Sales', E2: 'SALES', E3: 'Eng', E4: 'SALES' });
    expect([sales, eng]).not.toContain(await idOf(account, 'SALES'));
    expect([sales, eng]).not.toContain(await idOf(account, 'Eng'));
  });

  it('follows a value that is merged twice, and one that is renamed back [ATTRIBUTES-MERGE-2]', async () => {
    const account = await imported();
    await change(account, { value: 'SALES', newName: 'Sales' });
    await change(account, { value: 'Sales', newName: 'Eng' });
    await change(account, { value: 'Eng', newName: 'All' });
    await change(account, { value: 'All', newName: 'Eng' });
    expect(await importAndWait(account, [...SNAPSHOT, R(5, inDept('All'))])).toMatchObject({
      counts: { created: 1, unchanged: 4 },
    });
    expect(await departments(account)).toEqual({ E1: 'Eng', E2: 'Eng', E3: 'Eng', E4: 'Eng', E5: 'Eng' });
  });

  it('is followed by facts that send the old name [ATTRIBUTES-MERGE-2]', async () => {
    const account = await imported();
    await change(account, { value: 'SALES', newName: 'Sales' });
    const attributes = ['SALES', 'Sales'].map((value) => ({ name: 'Dept', value }));
    const employee = { id: 77, email: 'fact@x.io', created_via: 'app', is_deleted: false, attributes };
    await intake.publishFacts(account.accountId, 'employee', [{ revision: 1, line: 1, employee }]);
    await expect.poll(async () => (await listEmployees(account)).total_count).toBe(5);
    const { employees } = await listEmployees(account);
    expect(employees.find(({ id }) => id === 77)?.attributes).toMatchObject([{ attribute_values: [{ name: 'Sales' }] }]);
  });
});

describe('answers', () => {
  it('are filtered by the merged value, and the old one is no smaller group [ATTRIBUTES-MERGE-3]', async () => {
    const account = await textFixture();
    await people(account, [[1], [1], [2], [2]]);
    await state(account, 'response', ...textResponses(4));
    const nothing = { total_count: 0, responses: [] };
    expect(await read(account, '&attribute_option_ids=1')).toEqual(nothing);
    const both = await texts(account, '&attribute_option_ids=1,2');
    await change(account, { attribute: 'Country', value: 'DE', newName: 'FR' });
    for (const ids of ['1', '2', '1,2']) expect(await texts(account, `&attribute_option_ids=${ids}`)).toEqual(both);
    expect(await api.get('/v1/text_responses?attribute_option_ids=3', account.readKey)).toMatchObject({ status: 400 });
  });

  it('form one group under the disclosure guard, and blocks that exist are kept [ATTRIBUTES-MERGE-4]', async () => {
    const { fixture: scoreFixture } = await openScoreFixture(files);
    const account = await scoreFixture();
    await people(
      account,
      Array.from({ length: 10 }, (_, index) => [index < 5 ? 1 : 2]),
    );
    const closing = (n: number, day: string) =>
      cycle(uuidOf(n), { survey_id: 1, opened_at: `2024-0${n}-01T00:00:00Z`, closed_at: day });
    await state(account, 'cycle', closing(1, '2024-01-31T00:00:00Z'));
    const ten = [5, 5, 5, 5, 5, 3, 3, 3, 3, 3];
    await state(account, 'response', ...answers({ 11: ten }, { at: '2024-01-05T00:00:00Z' }));
    const settings = (more: object) =>
      operator.admin.setSettings({ account_id: account.accountId, masking_categories: null, ...more }, AS_OPERATOR);
    await settings({ disclosure_guard: 'strict' });
    const blocks = async () =>
      (
        await db.query<{ option_groups: number[][] }>(
          'select option_groups from scoring.block where account_id = $1 order by id',
          [account.accountId],
        )
      ).rows.map(({ option_groups }) => option_groups);
    const score = (ids: string) =>
      api.get(
        `/v1/scores?question_ids=11&period_from=2024-01-01T00:00:00Z&period_to=2024-12-31T00:00:00Z&attribute_option_ids=${ids}`,
        account.readKey,
      );
    await expect.poll(blocks, { timeout: 30_000, interval: 50 }).toEqual([[[1]], [[2]]]);
    expect(await score('1')).toMatchObject({ status: 200, body: { respondents: 5 } });
    const both = await score('1,2');
    await change(account, { attribute: 'Country', value: 'DE', newName: 'FR' });
    for (const ids of ['1', '2', '1,2']) expect((await score(ids)).body).toEqual(both.body);
    await state(account, 'cycle', closing(2, '2024-02-28T00:00:00Z'));
    const later = answers({ 11: ten.slice(0, 6) }, { at: '2024-02-05T00:00:00Z', people: [1, 2, 3, 6, 7, 8], from: 50 });
    for (const { response } of later) if (response != null) response.cycle_id = uuidOf(2);
    await state(account, 'response', ...later);
    // Looks for settled cycles at once.
    await settings({ guard_settling_hours: 25 });
    await expect.poll(blocks, { timeout: 30_000, interval: 50 }).toEqual([[[1]], [[2]], [[2]]]);
  });
});

describe('rejected', () => {
  it.each([
    [{ value: 'Nobody', newName: 'Sales' }, 'not_found'],
    [{ value: 'sales', newName: 'Sales' }, 'not_found'],
    [{ attribute: 'Nothing', value: 'SALES', newName: 'Sales' }, 'not_found'],
    [{ value: 'SALES', newName: 'SALES' }, 'invalid'],
    [{ value: 'SALES', newName: '\u200b ' }, 'invalid'],
    [{ value: 'SALES', newName: 'x'.repeat(256) }, 'invalid'],
    [{ value: 'SALES', newName: 'Sales', merges: false }, 'conflict'],
    [{ value: 'SALES', newName: 'New', merges: true }, 'conflict'],
    [{ attribute: 'Age Category', value: '40-49', newName: 'Old' }, 'conflict'],
  ])('%j as %s [ATTRIBUTES-MERGE-1]', async (wanted: Change, code) => {
    const account = await imported();
    const year = { attributes: [{ name: 'Age Category', value: { name: '1980' } }] };
    await importAndWait(account, [...SNAPSHOT, R(9, year)]);
    await expect(request(account, wanted)).rejects.toMatchObject({ code });
  });

  it('lists no page before the first', async () => {
    const { accountId } = await imported();
    for (const wrong of [{ limit: -1 }, { offset: -1 }]) {
      const wanted = { account_id: accountId, attribute: 'Dept', search: '', limit: 0, offset: 0, ...wrong };
      await expect(operator.admin.listAttributeValues(wanted, AS_OPERATOR)).rejects.toMatchObject({ code: 'invalid' });
    }
  });

  it('renames no value to a name that imports send for another one [ATTRIBUTES-MERGE-2]', async () => {
    const account = await imported();
    await change(account, { value: 'SALES', newName: 'Sales' });
    await expect(request(account, { value: 'Eng', newName: 'SALES' })).rejects.toMatchObject({ code: 'conflict' });
  });
});
