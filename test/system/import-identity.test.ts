import { describe, expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { arrangeEmployee } from '../support/employees.ts';
import { shareStack, type Employee } from '../support/file-stack.ts';
import { R } from '../support/records.ts';

// Matching employees across imports: creation, offboarding, reappearance
// (docs/rules/import-identity.md).
const { db, operator, importAndWait, listEmployees } = await shareStack();

// Disables the deletion threshold, since these tests omit employees.
const freely = (): Promise<Account> => operator.createAccount({ threshold: '100' });

async function employeesOf(account: Account): Promise<Employee[]> {
  return (await listEmployees(account)).employees;
}

// Returns all stored rows, to show that none changed.
async function storedRow({ accountId }: Account, employeeId: number): Promise<unknown> {
  const { rows } = await db.query('select * from imports.employee where account_id = $1 and id = $2', [accountId, employeeId]);
  return rows[0];
}

describe('creation', () => {
  it('creates an employee for a new import_id [IMPORT-IDENTITY-1]', async () => {
    const account = await freely();
    expect(await importAndWait(account, [R(1)])).toMatchObject({ counts: { created: 1 } });
    expect(await employeesOf(account)).toMatchObject([{ import_id: 'E1', is_deleted: false, attributes: [] }]);
  });

  it('assigns to a new employee the role Respondee and the default language of the integration [IMPORT-IDENTITY-2, IMPORT-VALUES-4]', async () => {
    const account = await operator.createAccount({ defaultLanguage: 'sv' });
    await importAndWait(account, [R(1)]);
    const [created] = await employeesOf(account);
    expect(created?.role).toBe('Respondee');
    expect(await storedRow(account, created?.id ?? 0)).toMatchObject({ language: 'sv', all_data: false, granted_option_ids: [] });
  });

  it('lists employees in the order of their creation', async () => {
    const account = await freely();
    await importAndWait(account, [R(3), R(1)]);
    await importAndWait(account, [R(2), R(1), R(3)]);
    expect((await employeesOf(account)).map(({ import_id }) => import_id)).toEqual(['E3', 'E1', 'E2']);
  });

  it('keeps the internal id when the e-mail address changes [IMPORT-IDENTITY-1]', async () => {
    const account = await freely();
    await importAndWait(account, [R(1)]);
    const [before] = await employeesOf(account);
    expect(await importAndWait(account, [R(1, { email: 'new@x.io' })])).toMatchObject({ counts: { updated: 1 } });
    expect(await employeesOf(account)).toEqual([{ ...before, email: 'new@x.io' }]);
  });

  it('leaves the same import_id of another account alone [AUTH-TENANCY-1]', async () => {
    const [one, other] = [await freely(), await freely()];
    await importAndWait(other, [R(1)]);
    const before = await employeesOf(other);
    await importAndWait(one, [R(1, { lastname: 'Elsewhere' })]);
    expect(await employeesOf(other)).toEqual(before);
  });

  it('changes nothing when the same snapshot comes again', async () => {
    const account = await freely();
    const snapshot = [R(1, { role: 'Manager', attributes: [{ name: 'D', value: { name: 'x' } }] }), R(2)];
    await importAndWait(account, snapshot);
    const before = await employeesOf(account);
    expect(await importAndWait(account, snapshot)).toMatchObject({ counts: { unchanged: 2, updated: 0, created: 0 } });
    expect(await employeesOf(account)).toEqual(before);
  });
});

describe('offboarding', () => {
  it('keeps the omitted in the list with the same id and import_id, is_deleted true [IMPORT-IDENTITY-3]', async () => {
    const account = await freely();
    await importAndWait(account, [R(1), R(2)]);
    const [first, second] = await employeesOf(account);
    expect(await importAndWait(account, [R(2)])).toMatchObject({ counts: { offboarded: 1 } });
    expect(await employeesOf(account)).toEqual([{ ...first, is_deleted: true }, second]);
  });

  it('creates X1 and offboards E1 when an import_id changes, and warns [IMPORT-IDENTITY-7]', async () => {
    const account = await freely();
    await importAndWait(account, [R(1)]);
    const { counts, records } = await importAndWait(account, [R(1, { import_id: 'X1' })]);
    expect(counts).toMatchObject({ created: 1, offboarded: 1 });
    expect(records).toMatchObject([
      { import_id: 'X1', outcome: 'created', warnings: [{ pointer: expect.stringMatching('^/employees/0') }] },
    ]);
    expect(await employeesOf(account)).toMatchObject([
      { import_id: 'E1', is_deleted: true },
      { import_id: 'X1', is_deleted: false, email: 'e1@x.io' },
    ]);
  });
});

describe('employees created in another way', () => {
  it('creates an employee beside a file-uploaded one with the same import_id, who stays unchanged [IMPORT-IDENTITY-4]', async () => {
    const account = await freely();
    const id = await arrangeEmployee(db, account.accountId, {
      createdVia: 'file',
      importId: 'E9',
      email: 'file@x.io',
      lastname: 'File',
    });
    const before = await storedRow(account, id);
    expect(await importAndWait(account, [R(9)])).toMatchObject({ counts: { created: 1 } });
    expect(await storedRow(account, id)).toEqual(before);
    expect((await employeesOf(account)).map(({ email }) => email)).toEqual(['file@x.io', 'e9@x.io']);
  });

  it('skips the record when it also has their e-mail address [IMPORT-IDENTITY-4]', async () => {
    const account = await freely();
    const id = await arrangeEmployee(db, account.accountId, { createdVia: 'file', importId: 'E9', email: 'e9@x.io' });
    const before = await storedRow(account, id);
    const { records } = await importAndWait(account, [R(9)]);
    expect(records).toMatchObject([{ index: 0, outcome: 'skipped', reasons: [{ pointer: '/employees/0/email' }] }]);
    expect(await storedRow(account, id)).toEqual(before);
    expect(await employeesOf(account)).toHaveLength(1);
  });

  it.each(['app', 'file', 'sftp', 'hcm'] as const)(
    'never changes an employee created by %s [IMPORT-IDENTITY-4]',
    async (createdVia) => {
      const account = await freely();
      const id = await arrangeEmployee(db, account.accountId, { createdVia, email: 'own@x.io', role: 'Employee' });
      const before = await storedRow(account, id);
      await importAndWait(account, [R(1)]);
      await importAndWait(account, [R(2)]);
      expect(await storedRow(account, id)).toEqual(before);
    },
  );
});

describe('reappearance', () => {
  it('reactivates under the same id: sent properties are set, others unchanged, total_count too [IMPORT-IDENTITY-5]', async () => {
    const account = await freely();
    const department = { attributes: [{ name: 'Department', value: { name: 'Sales' } }] };
    await importAndWait(account, [R(1, { role: 'Analyst', ...department }), R(2)]);
    const [before] = await employeesOf(account);
    await importAndWait(account, [R(2)]);
    expect(await importAndWait(account, [R(1, { lastname: 'Back' }), R(2)])).toMatchObject({
      counts: { reactivated: 1, created: 0 },
    });
    const page = await listEmployees(account);
    expect(page.total_count).toBe(2);
    expect(page.employees[0]).toEqual({ ...before, lastname: 'Back', is_deleted: false });
  });

  it('keeps an employee deleted when another employee now has their e-mail address [IMPORT-IDENTITY-5]', async () => {
    const account = await freely();
    await importAndWait(account, [R(1), R(2)]);
    await importAndWait(account, [R(2, { email: 'e1@x.io' })]);
    const { counts } = await importAndWait(account, [R(1), R(2, { email: 'e1@x.io' })]);
    expect(counts).toMatchObject({ skipped: 1, reactivated: 0 });
    expect(await employeesOf(account)).toMatchObject([
      { import_id: 'E1', is_deleted: true },
      { import_id: 'E2', is_deleted: false },
    ]);
  });

  it('reactivates one whom an admin removed in the app, and reports it [IMPORT-IDENTITY-6]', async () => {
    const account = await freely();
    await importAndWait(account, [R(1)]);
    await db.query('update imports.employee set is_deleted = true, email_key = null, content_hash = null where account_id = $1', [
      account.accountId,
    ]);
    const { counts, records } = await importAndWait(account, [R(1)]);
    expect(counts).toMatchObject({ reactivated: 1 });
    expect(records).toMatchObject([{ import_id: 'E1', outcome: 'reactivated' }]);
    expect(await employeesOf(account)).toMatchObject([{ is_deleted: false }]);
  });
});

describe('repeated import_ids', () => {
  it.each([
    ['new employees', [R(1), R(2), R(1, { email: 'again@x.io' })]],
    ['identical records', [R(1), R(1)]],
  ])('cancels in full for %s', async (_what, snapshot) => {
    const account = await freely();
    expect(await importAndWait(account, snapshot)).toMatchObject({ state: 'cancelled' });
    expect(await employeesOf(account)).toHaveLength(0);
  });

  it('cancels in full for employees that are there already, changed or not', async () => {
    const account = await freely();
    await importAndWait(account, [R(1), R(2)]);
    const before = await employeesOf(account);
    for (const twice of [R(1), R(1, { lastname: 'Twice' })]) {
      const outcome = await importAndWait(account, [R(1), R(2), twice]);
      expect(outcome).toMatchObject({ state: 'cancelled', reasons: [{ code: 'import_id_repeated', records: [0, 2] }] });
    }
    expect(await employeesOf(account)).toEqual(before);
  });
});
