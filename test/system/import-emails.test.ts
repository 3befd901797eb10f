import { describe, expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { arrangeEmployee, holdAccount } from '../support/employees.ts';
import { shareStack } from '../support/file-stack.ts';
import { R } from '../support/records.ts';

// E-mail conflicts are resolved against the final state of the whole snapshot
// (docs/rules/import-emails.md).
const { api, db, operator, importAndWait, listEmployees } = await shareStack();

type Snapshot = readonly Record<string, unknown>[];
const at = (n: number, email: string, more: object = {}): Record<string, unknown> => R(n, { email, ...more });

async function after(...snapshots: Snapshot[]): Promise<Account> {
  const account = await operator.createAccount({ threshold: '100' });
  for (const snapshot of snapshots) expect(await importAndWait(account, snapshot)).toMatchObject({ state: 'applied' });
  return account;
}

// Addresses of employees that are not deleted: {E1: 'a@x.io'}.
async function addresses(account: Account): Promise<Record<string, string>> {
  const { employees } = await listEmployees(account);
  const present = employees.filter(({ is_deleted }) => !is_deleted);
  return Object.fromEntries(present.map(({ import_id, email }) => [import_id ?? 'nobody', email]));
}

const orders = (snapshot: Snapshot): [string, Snapshot][] => [
  ['in this order', snapshot],
  ['in the other order', [...snapshot].reverse()],
];

describe('conflicts skip the record', () => {
  it.each([
    ['an employee who keeps it', [at(1, 'a@x.io'), at(2, 'b@x.io')], [at(1, 'a@x.io'), at(2, 'a@x.io')], 'E1'],
    ['an earlier record', [at(1, 'a@x.io')], [at(1, 'c@x.io'), at(3, 'a@x.io'), at(2, 'a@x.io')], 'E3'],
  ])('names the other employee: %s [IMPORT-EMAILS-3]', async (_, before, now, other) => {
    const account = await after(before);
    const { records } = await importAndWait(account, now);
    const skipped = records.filter(({ outcome }) => outcome === 'skipped');
    expect(skipped).toMatchObject([
      {
        import_id: 'E2',
        reasons: [{ code: 'email_taken', import_id: other, detail: expect.stringContaining(other) as unknown }],
      },
    ]);
  });

  it('skips a record with the address of an app-created employee, and applies the rest [IMPORT-EMAILS-3]', async () => {
    const account = await after();
    await arrangeEmployee(db, account.accountId, { email: 'a@x.io' });
    expect(await importAndWait(account, [at(1, 'a@x.io'), at(2, 'b@x.io')])).toMatchObject({
      counts: { skipped: 1, created: 1 },
      records: [
        { index: 0, outcome: 'skipped', reasons: [{ pointer: '/employees/0/email', is_managed_elsewhere: true }] },
        { index: 1, outcome: 'created' },
      ],
    });
    expect(await addresses(account)).toEqual({ nobody: 'a@x.io', E2: 'b@x.io' });
  });

  it('creates the first of two new employees with one address [IMPORT-EMAILS-3]', async () => {
    expect(await addresses(await after([at(2, 'a@x.io'), at(1, 'a@x.io')]))).toEqual({ E2: 'a@x.io' });
  });

  it.each(orders([at(1, 'a@x.io'), at(2, 'a@x.io')]))(
    'lets the holder keep their address, %s [IMPORT-EMAILS-3]',
    async (_order, snapshot) => {
      expect(await addresses(await after([at(1, 'a@x.io')], snapshot))).toEqual({ E1: 'a@x.io' });
    },
  );

  it('skips a swap when one of the two is rejected [IMPORT-EMAILS-5]', async () => {
    const account = await after([at(1, 'a@x.io'), at(2, 'b@x.io')]);
    const outcome = await importAndWait(account, [at(1, 'b@x.io'), at(2, 'a@x.io', { role: 'Boss' })]);
    expect(outcome.counts).toMatchObject({ skipped: 2, updated: 0 });
    expect(await addresses(account)).toEqual({ E1: 'a@x.io', E2: 'b@x.io' });
  });

  it('compares addresses without regard to case [IMPORT-EMAILS-1]', async () => {
    expect(await addresses(await after([at(1, 'a@x.io')], [at(1, 'a@x.io'), at(2, 'A@X.io')]))).toEqual({ E1: 'a@x.io' });
  });

  it('skips the record when its address is given to another employee in the app while the import runs [IMPORT-EMAILS-9]', async () => {
    const account = await after();
    await using hold = await holdAccount(db, account.accountId);
    const ended = importAndWait(account, [at(1, 'a@x.io'), at(2, 'b@x.io')]);
    await expect.poll(() => attempts(account)).toBe(1);
    await hold.work((client) => arrangeEmployee(client, account.accountId, { email: 'a@x.io' }));
    await hold.letGo();
    expect(await ended).toMatchObject({ state: 'applied', counts: { skipped: 1, created: 1 } });
    expect(await addresses(account)).toEqual({ nobody: 'a@x.io', E2: 'b@x.io' });
    expect(await api.post('/v1/employees/imports', { employees: [at(2, 'b@x.io')] }, account.writeKey)).toMatchObject({
      status: 202,
    });
  });
});

describe('addresses that change hands', () => {
  it('swaps two addresses [IMPORT-EMAILS-4]', async () => {
    const account = await after([at(1, 'a@x.io'), at(2, 'b@x.io')], [at(1, 'b@x.io'), at(2, 'a@x.io')]);
    expect(await addresses(account)).toEqual({ E1: 'b@x.io', E2: 'a@x.io' });
  });

  it.each(orders([at(1, 'b@x.io'), at(2, 'c@x.io')]))('passes an address on, %s [IMPORT-EMAILS-4]', async (_order, snapshot) => {
    expect(await addresses(await after([at(1, 'a@x.io'), at(2, 'b@x.io')], snapshot))).toEqual({ E1: 'b@x.io', E2: 'c@x.io' });
  });

  it('assigns the address of an employee who is offboarded to a new employee of the same snapshot [IMPORT-EMAILS-4]', async () => {
    expect(await addresses(await after([at(1, 'a@x.io')], [at(3, 'a@x.io')]))).toEqual({ E3: 'a@x.io' });
  });

  it('assigns the address of an employee who was offboarded earlier to a new employee [IMPORT-EMAILS-6]', async () => {
    const account = await after([at(1, 'a@x.io'), at(2, 'b@x.io')], [at(2, 'b@x.io')], [at(2, 'b@x.io'), at(4, 'a@x.io')]);
    expect(await addresses(account)).toEqual({ E2: 'b@x.io', E4: 'a@x.io' });
  });

  it('rotates three addresses [IMPORT-EMAILS-4]', async () => {
    const account = await after(
      [at(1, 'a@x.io'), at(2, 'b@x.io'), at(3, 'c@x.io')],
      [at(1, 'b@x.io'), at(2, 'c@x.io'), at(3, 'a@x.io')],
    );
    expect(await addresses(account)).toEqual({ E1: 'b@x.io', E2: 'c@x.io', E3: 'a@x.io' });
  });
});

describe('what is no conflict', () => {
  it('stores another spelling of one’s own address [IMPORT-EMAILS-1]', async () => {
    expect(await addresses(await after([at(1, 'a@x.io')], [at(1, 'A@x.io')]))).toEqual({ E1: 'A@x.io' });
  });

  it('keeps a+b@x.io and a@x.io apart [IMPORT-EMAILS-1]', async () => {
    expect(await addresses(await after([at(1, 'a@x.io'), at(2, 'a+b@x.io')]))).toEqual({ E1: 'a@x.io', E2: 'a+b@x.io' });
  });

  it('accepts what does not look like an address, and warns [IMPORT-EMAILS-7]', async () => {
    const account = await after();
    expect(await importAndWait(account, [at(1, 'not-an-email')])).toMatchObject({
      records: [{ outcome: 'created', warnings: [{ pointer: '/employees/0/email' }] }],
    });
    expect(await addresses(account)).toEqual({ E1: 'not-an-email' });
  });

  it('trims an address for comparison and storage [IMPORT-EMAILS-2]', async () => {
    expect(await addresses(await after([at(1, ' a@x.io '), at(2, 'a@x.io')]))).toEqual({ E1: 'a@x.io' });
  });

  it('knows no conflict with another account [IMPORT-EMAILS-3]', async () => {
    await after([at(1, 'a@x.io')]);
    expect(await addresses(await after([at(1, 'a@x.io')]))).toEqual({ E1: 'a@x.io' });
  });
});

async function attempts({ accountId }: Account): Promise<number> {
  const { rows } = await db.query<{ attempts: number }>('select attempts from imports.import where account_id = $1', [accountId]);
  return rows[0]?.attempts ?? 0;
}
