import { describe, expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { shareStack } from '../support/file-stack.ts';
import { R } from '../support/records.ts';

// Absent, null, value: which properties an import keeps, resets and overwrites
// (docs/rules/import-values.md).
const { db, operator, importAndWait, listEmployees } = await shareStack();

type Properties = Readonly<Record<string, unknown>>;
const attribute = (name: string, value: string | null): object => ({ name, value: value === null ? null : { name: value } });

// E1 after the first snapshot, with E2 as a possible supervisor.
async function imported(properties: Properties = {}): Promise<Account> {
  const account = await operator.createAccount({ defaultLanguage: 'de' });
  expect(await importAndWait(account, [R(1, properties), R(2)])).toMatchObject({ state: 'applied', counts: { created: 2 } });
  return account;
}

const sendAgain = (account: Account, properties: Properties) => importAndWait(account, [R(1, properties), R(2)]);

async function E1(account: Account) {
  const found = (await listEmployees(account)).employees.find(({ import_id }) => import_id === 'E1');
  if (found === undefined) throw new Error('E1 is gone');
  const { rows } = await db.query<{ language: string; supervisor_id: string | null; all_data: boolean; grants: number }>(
    `select language, supervisor_id, all_data, cardinality(granted_option_ids) as grants
     from imports.employee where account_id = $1 and id = $2`,
    [account.accountId, found.id],
  );
  const [hidden] = rows;
  const attributes = Object.fromEntries(
    found.attributes.map((each) => [each.name, each.attribute_values.map(({ name }) => name)]),
  );
  return { ...found, ...hidden, attributes };
}

// The app sends such a fact when an admin edits an employee.
async function editInApp(account: Account, column: 'role' | 'lastname', value: string): Promise<void> {
  await db.query(`update imports.employee set ${column} = $2, content_hash = null where account_id = $1 and import_id = 'E1'`, [
    account.accountId,
    value,
  ]);
}

describe('language', () => {
  it('resets to the default language for null [IMPORT-VALUES-4]', async () => {
    const account = await imported({ language: 'fr' });
    expect(await E1(account)).toMatchObject({ language: 'fr' });
    await sendAgain(account, { language: null });
    expect(await E1(account)).toMatchObject({ language: 'de' });
  });

  it('leaves the language for an absent property', async () => {
    const account = await imported({ language: 'fr' });
    await sendAgain(account, { lastname: 'Changed' });
    expect(await E1(account)).toMatchObject({ language: 'fr', lastname: 'Changed' });
  });

  it('takes EN for en [IMPORT-VALUES-5]', async () => {
    expect(await E1(await imported({ language: 'EN' }))).toMatchObject({ language: 'en' });
  });

  it.each(['xx', 'deu', 'en-US', '', 'iw', 'x'.repeat(256)])(
    'skips the employee for the language "%s" [IMPORT-VALUES-5]',
    async (language) => {
      const account = await imported();
      const outcome = await sendAgain(account, { language, lastname: 'Changed' });
      expect(outcome).toMatchObject({
        counts: { skipped: 1 },
        records: [{ index: 0, reasons: [{ pointer: '/employees/0/language' }] }],
      });
      expect(await E1(account)).toMatchObject({ language: 'de', lastname: 'L1' });
    },
  );
});

describe('role', () => {
  it.each(['Admin', 'Manager', 'Analyst', 'Report viewer', 'Respondee'])(
    'takes the role %s [IMPORT-GRANTS-ROLE-1]',
    async (role) => {
      expect(await E1(await imported({ role }))).toMatchObject({ role });
    },
  );

  it.each(['Employee', 'admin', 'Report Viewer', 'Report viewer ', 'ReportViewer', '', 'x'.repeat(256)])(
    'skips the role "%s" [IMPORT-GRANTS-ROLE-1]',
    async (role) => {
      const account = await imported({ role: 'Analyst' });
      expect(await sendAgain(account, { role, lastname: 'Changed' })).toMatchObject({ counts: { skipped: 1, updated: 0 } });
      expect(await E1(account)).toMatchObject({ role: 'Analyst', lastname: 'L1' });
    },
  );

  it('leaves a role that an admin gave in the app [IMPORT-IDENTITY-9]', async () => {
    const account = await imported();
    await editInApp(account, 'role', 'Employee');
    await sendAgain(account, {});
    expect(await E1(account)).toMatchObject({ role: 'Employee' });
  });

  it('resets to Respondee for null [IMPORT-GRANTS-ROLE-2]', async () => {
    const account = await imported({ role: 'Manager' });
    await sendAgain(account, { role: null });
    expect(await E1(account)).toMatchObject({ role: 'Respondee' });
  });
});

describe('names', () => {
  it('overwrites what an admin changed in the app [IMPORT-VALUES-2]', async () => {
    const account = await imported();
    await editInApp(account, 'lastname', 'Edited');
    await sendAgain(account, {});
    expect(await E1(account)).toMatchObject({ lastname: 'L1' });
  });
});

describe('reports_to_id', () => {
  it('leaves, sets and removes the supervisor [IMPORT-VALUES-1]', async () => {
    const account = await imported();
    const { employees } = await listEmployees(account);
    const e2 = String(employees.find(({ import_id }) => import_id === 'E2')?.id);
    await sendAgain(account, { reports_to_id: 'E2' });
    expect(await E1(account)).toMatchObject({ supervisor_id: e2 });
    await sendAgain(account, { lastname: 'Changed' });
    expect(await E1(account)).toMatchObject({ supervisor_id: e2, lastname: 'Changed' });
    await sendAgain(account, { reports_to_id: null });
    expect(await E1(account)).toMatchObject({ supervisor_id: null });
  });
});

describe('permissions', () => {
  it('leaves the grants for an absent property and revokes them for null [IMPORT-VALUES-1]', async () => {
    const grants = [{ attribute: { name: 'Country' }, value: { name: 'DE' } }];
    const attributes = [attribute('Country', 'DE')];
    const account = await imported({ role: 'Manager', permissions: { grants }, attributes });
    expect(await E1(account)).toMatchObject({ all_data: false, grants: 1 });
    await sendAgain(account, { lastname: 'Changed' });
    expect(await E1(account)).toMatchObject({ grants: 1, lastname: 'Changed' });
    await sendAgain(account, { permissions: null });
    expect(await E1(account)).toMatchObject({ grants: 0, all_data: false });
  });
});

describe('attributes', () => {
  const start = { attributes: [attribute('Dept', 'Sales'), attribute('Country', 'DE')] };

  it('changes nothing for an absent or an empty list [IMPORT-VALUES-3]', async () => {
    const account = await imported(start);
    const { attributes } = await E1(account);
    expect(attributes).toEqual({ Dept: ['Sales'], Country: ['DE'] });
    await sendAgain(account, { attributes: [], lastname: 'Changed' });
    expect(await E1(account)).toMatchObject({ attributes, lastname: 'Changed' });
    await sendAgain(account, { lastname: 'Again' });
    expect(await E1(account)).toMatchObject({ attributes, lastname: 'Again' });
  });

  it('changes only what is listed [IMPORT-VALUES-3]', async () => {
    const account = await imported(start);
    await sendAgain(account, { attributes: [attribute('Dept', 'IT')] });
    expect((await E1(account)).attributes).toEqual({ Dept: ['IT'], Country: ['DE'] });
  });

  it('clears what is listed with null', async () => {
    const account = await imported(start);
    await sendAgain(account, { attributes: [attribute('Dept', null)] });
    expect((await E1(account)).attributes).toEqual({ Country: ['DE'] });
  });

  it('finds an attribute by its name in another case, and keeps the name [IMPORT-ATTRIBUTES-NAMES-1]', async () => {
    const account = await imported(start);
    await sendAgain(account, { attributes: [attribute(' dEPT ', 'IT')] });
    expect((await E1(account)).attributes).toEqual({ Dept: ['IT'], Country: ['DE'] });
  });

  it.each([
    ['IMPORT-ATTRIBUTES-NAMES-3', 'twice with a value', [attribute('Dept', 'IT'), attribute(' DEPT ', 'HR')]],
    ['IMPORT-ATTRIBUTES-NAMES-3', 'with a value and with null', [attribute('Dept', 'IT'), attribute('Dept', null)]],
    [
      'IMPORT-ATTRIBUTES-NAMES-3',
      'twice as Age Category',
      [attribute('Age Category', '1990'), attribute('age category', '1990')],
    ],
  ])('skips the employee when an attribute is listed $1 [$0]', async (_id, _what, attributes) => {
    const account = await imported(start);
    expect(await sendAgain(account, { attributes })).toMatchObject({ counts: { skipped: 1 } });
    expect((await E1(account)).attributes).toEqual({ Dept: ['Sales'], Country: ['DE'] });
  });

  it.each(['', ' ', '90', '19900', '１９９０'])('rule 10 skips the employee for the year "%s"', async (year) => {
    const account = await imported(start);
    const outcome = await sendAgain(account, { attributes: [attribute('Age Category', year)] });
    expect(outcome).toMatchObject({
      counts: { skipped: 1 },
      records: [{ index: 0, reasons: [{ pointer: '/employees/0/attributes/0/value/name' }] }],
    });
    expect((await E1(account)).attributes).toEqual({ Dept: ['Sales'], Country: ['DE'] });
  });

  it('keeps values apart that differ in case or in a space [IMPORT-ATTRIBUTES-VALUES-1]', async () => {
    const account = await operator.createAccount();
    const values = ['Sales', 'sales', ' Sales'];
    await importAndWait(
      account,
      values.map((value, n) => R(n, { attributes: [attribute('Dept', value)] })),
    );
    const { employees } = await listEmployees(account);
    const options = employees.flatMap(({ attributes }) => attributes.flatMap(({ attribute_values }) => attribute_values));
    expect(options.map(({ name }) => name)).toEqual(values);
    expect(new Set(options.map(({ id }) => id)).size).toBe(3);
  });

  it('does not create an attribute to clear it [IMPORT-ATTRIBUTES-VALUES-3]', async () => {
    const account = await imported({ attributes: [attribute('Nope', null)] });
    const { rows } = await db.query('select from imports.attribute where account_id = $1', [account.accountId]);
    expect(rows).toHaveLength(0);
  });
});

it('names the two values that look alike, and no other [IMPORT-ATTRIBUTES-VALUES-5]', async () => {
  const account = await imported({ attributes: [attribute('Dept', 'Sales'), attribute('Country', 'DE')] });
  expect(await sendAgain(account, { attributes: [attribute('Dept', 'SALES')] })).toMatchObject({
    records: [{ warnings: [{ code: 'value_looks_alike', values: ['Sales', 'SALES'] }] }],
  });
});
