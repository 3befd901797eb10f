import type { Employee, EmployeeEdit, Fact } from '@survey/proto/intake/v1/intake.ts';
import { describe, expect, it } from 'vitest';
import { openReconcilerDatabase } from '../support/import/reconciling-account.ts';
import { attribute, newWorkforce, R } from './workforce.ts';

// Employee facts of the application, and how imports treat them.
const database = await openReconcilerDatabase();

const edit = (importId: string, more: Partial<EmployeeEdit>, revision = 1): Fact => ({
  revision,
  line: 0,
  employee_edit: { employee: { import_id: importId }, attributes: [], cleared: [], ...more },
});

const created = (id: number, email: string, more: Partial<Employee> = {}, revision = 1): Fact => ({
  revision,
  line: 0,
  employee: { id, email, is_deleted: false, created_via: 'app', attributes: [], ...more },
});

const value = (name: string, text: string): { name: string; value: string } => ({ name, value: text });

describe('an edit', () => {
  it('is overwritten by the next import that sends the old value in the same bytes [IMPORT-VALUES-2]', async () => {
    const people = await newWorkforce(database, [R(1)]);
    await people.account.tell([edit('E1', { lastname: 'Edited' })]);
    expect(await people.person('E1')).toMatchObject({ lastname: 'Edited' });
    expect(await people.import([R(1)])).toMatchObject({ counts: { updated: 1 } });
    expect(await people.person('E1')).toMatchObject({ lastname: 'L1' });
  });

  it('keeps what the record does not send: the role of the application, and only that [IMPORT-IDENTITY-9]', async () => {
    const people = await newWorkforce(database, [R(1, { role: 'Analyst', language: 'fr' })]);
    await people.account.tell([edit('E1', { role: 'Coach' })]);
    await people.import([R(1)]);
    expect(await people.person('E1')).toMatchObject({ role: 'Coach', language: 'fr' });
  });

  it('changes nothing when it comes again after an import', async () => {
    const people = await newWorkforce(database, [R(1)]);
    const fact = edit('E1', { lastname: 'Edited', role: 'Coach' });
    await people.account.tell([fact]);
    await people.import([R(1, { role: 'Admin' })]);
    await people.account.tell([fact, edit('E1', { role: 'Older' }, 0)]);
    expect(await people.person('E1')).toMatchObject({ lastname: 'L1', role: 'Admin' });
  });

  it('is deferred until its employee exists', async () => {
    const people = await newWorkforce(database);
    expect(await people.account.tell([edit('E1', { role: 'Coach' })])).toEqual([]);
    await people.import([R(1)]);
    await people.account.retryWaiting();
    expect(await people.person('E1')).toMatchObject({ role: 'Coach', lastname: 'L1' });
  });

  it('removes an employee whom the next import reactivates [IMPORT-IDENTITY-6]', async () => {
    const people = await newWorkforce(database, [R(1), R(2)]);
    await people.account.tell([edit('E1', { is_deleted: true })]);
    expect(await people.person('E1')).toMatchObject({ isDeleted: true });
    expect(await people.import([R(1), R(2)])).toMatchObject({ counts: { reactivated: 1, unchanged: 1 }, managed: 1 });
  });

  it('is rejected when its address is taken, and applied when the address becomes free', async () => {
    const people = await newWorkforce(database, [R(1), R(2)]);
    const reasons = await people.account.tell([edit('E1', { email: 'E2@x.io', role: 'Coach' })]);
    expect(reasons).toEqual(['email_taken']);
    expect(await people.person('E1')).toMatchObject({ email: 'e1@x.io', role: 'Respondee' });
    await people.account.tell([edit('E2', { email: 'free@x.io' })]);
    expect(await people.person('E1')).toMatchObject({ email: 'E2@x.io', role: 'Coach' });
  });

  it('swaps addresses in one message, and in two', async () => {
    const people = await newWorkforce(database, [R(1), R(2)]);
    await people.account.tell([edit('E1', { email: 'e2@x.io' }), edit('E2', { email: 'e1@x.io' })]);
    expect(await people.person('E1')).toMatchObject({ email: 'e2@x.io' });
    await people.account.tell([edit('E1', { email: 'e1@x.io' }, 2)]);
    await people.account.tell([edit('E2', { email: 'e2@x.io' }, 2)]);
    expect(await people.person('E2')).toMatchObject({ email: 'e2@x.io' });
  });

  it.each<[string, Partial<EmployeeEdit>]>([
    ['email not_a:string', { cleared: ['email'] }],
    ['email blank', { email: ' ' }],
    ['role set_and_cleared', { role: 'Coach', cleared: ['role'] }],
    ['supervisor is_employee', { supervisor: { import_id: 'E1' } }],
    ['attributes/0/name blank', { attributes: [value(' ', 'x')] }],
  ])('that can never be applied is rejected: %s', async (reason, more) => {
    const people = await newWorkforce(database, [R(1)]);
    expect(await people.account.tell([edit('E1', { firstname: 'New', ...more })])).toEqual([expect.stringContaining(reason)]);
    expect(await people.person('E1')).toMatchObject({ firstname: 'F1' });
  });
});

describe('attributes', () => {
  it('several values from the application are replaced by the one that a record sets [IMPORT-ATTRIBUTES-VALUES-4]', async () => {
    const people = await newWorkforce(database, [R(1)]);
    await people.account.tell([edit('E1', { attributes: [value('Dept', 'Sales'), value('dept ', 'IT')] })]);
    expect(await people.person('E1')).toMatchObject({ attributes: { dept: ['IT', 'Sales'] } });
    await people.import([R(1, { attributes: [attribute('DEPT', 'HR')] })]);
    expect(await people.person('E1')).toMatchObject({ attributes: { dept: ['HR'] } });
  });

  it('Age Category null clears the value, and skips no record [IMPORT-ATTRIBUTES-YEARS-3]', async () => {
    const people = await newWorkforce(database, [R(1, { attributes: [attribute('Age Category', '1990')] })]);
    expect(await people.import([R(1, { attributes: [attribute(' age category', null)] })])).toMatchObject({
      counts: { updated: 1 },
    });
    expect(await people.person('E1')).toMatchObject({ attributes: {} });
  });

  it('a bucket stays as it is until the next import, and goes by the year of acceptance [IMPORT-ATTRIBUTES-YEARS-4]', async () => {
    const record = R(1, { attributes: [attribute('Age Category', '2007')] });
    const people = await newWorkforce(database, [record]);
    expect(await people.person('E1')).toMatchObject({ attributes: { 'age category': ['< 20'] } });
    await people.import([record], { year: 2027 });
    expect(await people.person('E1')).toMatchObject({ attributes: { 'age category': ['20-29'] } });
  });

  it('an existing option is reused, whether an import or the application created it [IMPORT-ATTRIBUTES-VALUES-2]', async () => {
    const people = await newWorkforce(database);
    await people.account.tell([created(1, 'app@x.io', { attributes: [value('Age Category', '60+')] })]);
    await people.import([R(1, { attributes: [attribute('age category', '1960')] })]);
    expect((await people.account.read()).attributes).toMatchObject({ 'age category': { name: 'Age Category', values: ['60+'] } });
  });
});

describe('an employee of the application', () => {
  it('keeps an address that a record wants [IMPORT-EMAILS-3]', async () => {
    const people = await newWorkforce(database, [R(2)]);
    await people.account.tell([created(1, 'e1@x.io')]);
    expect(await people.import([R(1), R(2)])).toMatchObject({ counts: { skipped: 1, created: 0 } });
  });

  it('is rejected with an address that an employee of the import API has, and comes when it is free', async () => {
    const people = await newWorkforce(database, [R(1), R(2)]);
    expect(await people.account.tell([created(1, 'e1@x.io')])).toHaveLength(1);
    await people.import([R(2)]);
    await people.account.retryWaiting();
    expect((await people.account.read()).people).toMatchObject([{ id: 1, email: 'e1@x.io', createdVia: 'app' }, {}, {}]);
  });

  it('is not touched by any import [IMPORT-IDENTITY-4]', async () => {
    const people = await newWorkforce(database, [R(1)]);
    await people.account.tell([created(1, 'app@x.io', { role: 'Coach', import_id: 'E1', supervisor: { import_id: 'E1' } })]);
    const before = (await people.account.read()).people.find(({ id }) => id === 1);
    await people.import([R(2)]);
    expect((await people.account.read()).people.find(({ id }) => id === 1)).toEqual(before);
  });

  it.each<[string, Partial<Employee>]>([
    ['id not_below:1000000000', { id: 1_000_000_000 }],
    ['created_via not_one_of:', { created_via: 'import_api' }],
    ['attributes/0/value', { attributes: [{ name: 'Dept' }] }],
  ])('that can never be is rejected: %s', async (reason, more) => {
    const people = await newWorkforce(database);
    expect(await people.account.tell([created(1, 'app@x.io', more)])).toEqual([expect.stringContaining(reason)]);
    expect(await people.account.read()).toMatchObject({ people: [] });
  });
});
