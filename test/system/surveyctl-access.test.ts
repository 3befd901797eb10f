import { describe, expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { shareStack } from '../support/file-stack.ts';
import { R } from '../support/records.ts';
import { surveyctlAt } from '../support/surveyctl.ts';

const file = await shareStack();
const surveyctl = surveyctlAt(file.stack);

const attribute = (name: string, value: string) => ({ name, value: { name: value } });
const grant = (name: string, value: string) => ({ attribute: { name }, value: { name: value } });
const of = (n: number, country: string, department: string) =>
  R(n, { attributes: [attribute('Country', country), attribute('Dept', department)] });
const PEOPLE = [of(1, 'DE', 'Sales'), of(2, 'DE', 'IT'), of(3, 'FR', 'HR'), of(4, 'US', 'Sales')];

async function accountOf(viewer: Readonly<Record<string, unknown>>): Promise<Account> {
  const account = await file.operator.createAccount();
  await file.importAndWait(account, [...PEOPLE, R(9, viewer)]);
  return account;
}

async function access({ accountId }: Account, ...which: string[]) {
  const done = await surveyctl(['employee', 'access', '--account', String(accountId), ...which, '--json']);
  expect(done.stderr).toBe('');
  return JSON.parse(done.stdout);
}

async function seenByManager(permissions: object, role = 'Manager'): Promise<string[]> {
  const { sees } = await access(await accountOf({ role, permissions }), '--import-id', 'E9');
  return sees.map(({ import_id }: { import_id: string }) => import_id);
}

describe('surveyctl employee access', () => {
  it.each([
    [
      'values of one attribute widen [IMPORT-GRANTS-SCOPE-1]',
      [grant('Country', 'DE'), grant('Country', 'FR')],
      ['E1', 'E2', 'E3'],
    ],
    ['attributes narrow [IMPORT-GRANTS-SCOPE-1]', [grant('Country', 'DE'), grant('Dept', 'Sales')], ['E1']],
    [
      'both together [IMPORT-GRANTS-SCOPE-1]',
      [grant('Country', 'DE'), grant('Country', 'FR'), grant('Dept', 'Sales'), grant('Dept', 'HR')],
      ['E1', 'E3'],
    ],
    ['a dropped grant widens [IMPORT-GRANTS-SCOPE-2]', [grant('Country', 'DE'), grant('Foo', 'bar')], ['E1', 'E2']],
    ['with every grant dropped nobody is seen [IMPORT-GRANTS-SCOPE-3]', [grant('Foo', 'bar')], []],
    ['nor with none [IMPORT-GRANTS-PERMISSIONS-1]', [], []],
  ])('%s', async (_, grants, seen) => {
    expect(await seenByManager({ grants })).toEqual(seen);
  });

  it('all_data shows all employees, but not to a Respondee', async () => {
    expect(await seenByManager({ all_data: true })).toEqual(['E1', 'E2', 'E3', 'E4', 'E9']);
    expect(await seenByManager({ all_data: true }, 'Respondee')).toEqual([]);
  });

  it('grants that a Respondee keeps are shown, and have no effect [IMPORT-GRANTS-ROLE-4]', async () => {
    const account = await accountOf({ role: 'Manager', permissions: { grants: [grant('Country', 'DE')] } });
    await file.importAndWait(account, [...PEOPLE, R(9, { role: 'Respondee' })]);
    const grants = [{ attribute: 'Country', values: ['DE'] }];
    expect(await access(account, '--import-id', 'E9')).toMatchObject({ role: 'Respondee', grants, sees_total: 0, sees: [] });
  });

  it('counts all, lists the first, and prints a table for people', async () => {
    const account = await accountOf({ role: 'Admin', permissions: { grants: [grant('Country', 'DE'), grant('Country', 'US')] } });
    const { employee_id, sees } = await access(account, '--import-id', 'E9', '--limit', '2');
    expect(sees).toHaveLength(2);
    expect(await access(account, '--id', String(employee_id))).toMatchObject({ sees_total: 3 });
    const { stdout } = await surveyctl([
      'employee',
      'access',
      '--account',
      String(account.accountId),
      '--id',
      String(employee_id),
    ]);
    expect(stdout).toMatch(/granted +Country: DE or US\n.*sees +3\n/s);
  });

  it('rejects an unknown employee, and a call without an employee', async () => {
    const { accountId } = await accountOf({});
    const call = ['employee', 'access', '--account', String(accountId)];
    expect(await surveyctl([...call, '--import-id', 'E77'])).toMatchObject({ exitCode: 1, stdout: '' });
    expect((await surveyctl(call)).stderr).toContain('import_id or employee_id is required');
  });
});

describe('surveyctl employee', () => {
  const asReport = (): Record<string, unknown>[] => [
    R(1, { language: 'fr', reports_to_id: 'E2', attributes: [attribute('Country', 'DE')] }),
    R(2, { attributes: [attribute('Country', 'DE')] }),
    R(9, { role: 'Manager', permissions: { grants: [grant('Country', 'DE')] } }),
  ];

  it('shows the language and the supervisor of an employee', async () => {
    const account = await file.operator.createAccount({ threshold: '100' });
    await file.importAndWait(account, asReport());
    const call = ['employee', 'show', '--account', String(account.accountId)];
    const show = async (importId: string): Promise<unknown> =>
      JSON.parse((await surveyctl([...call, '--import-id', importId, '--json'])).stdout);
    expect(await show('E1')).toMatchObject({
      import_id: 'E1',
      created_via: 'import_api',
      is_deleted: false,
      role: 'Respondee',
      language: 'fr',
      supervisor: { import_id: 'E2', is_deleted: false },
    });
    expect(await show('E2')).toMatchObject({ supervisor: null });
    expect((await surveyctl([...call, '--import-id', 'E1'])).stdout).toMatch(/language +fr\nsupervisor +\d+, import id E2\n/);
    expect(await surveyctl([...call, '--import-id', 'E77'])).toMatchObject({ exitCode: 1, stdout: '' });
  });

  it('marks removed employees among those whom another sees', async () => {
    const account = await file.operator.createAccount({ threshold: '100' });
    await file.importAndWait(account, asReport());
    await file.importAndWait(account, asReport().slice(1));
    const { sees } = await access(account, '--import-id', 'E9');
    expect(sees).toMatchObject([
      { import_id: 'E1', is_deleted: true },
      { import_id: 'E2', is_deleted: false },
    ]);
    const call = ['employee', 'access', '--account', String(account.accountId), '--import-id', 'E9'];
    expect((await surveyctl(call)).stdout).toMatch(/\d+ \(offboarded\) +E1\n\d+ +E2\n/);
  });
});
