import { describe, expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { arrangeEmployees, holdAccount } from '../support/employees.ts';
import { shareStack } from '../support/file-stack.ts';
import { R, records } from '../support/records.ts';

// The deletion threshold of POST /v1/employees/imports (docs/rules/import-threshold.md).
const { api, db, operator, importAndWait, listEmployees } = await shareStack();

/** Creates an account with `count` managed employees, E1 … E<count>. */
async function managing(count: number, threshold = '20'): Promise<Account> {
  const account = await operator.createAccount({ threshold });
  expect(await importAndWait(account, records(1, count))).toMatchObject({ state: 'applied' });
  return account;
}

async function expectCancelled(account: Account, snapshot: readonly unknown[]): Promise<void> {
  const before = await listEmployees(account);
  const outcome = await importAndWait(account, snapshot);
  expect(outcome).toMatchObject({ state: 'cancelled', counts: { created: 0, updated: 0, offboarded: 0 } });
  expect(outcome.reasons).toMatchObject([{ code: 'deletion_threshold' }]);
  expect(await listEmployees(account)).toEqual(before);
}

async function expectApplied(account: Account, snapshot: readonly unknown[], counts: object): Promise<void> {
  expect(await importAndWait(account, snapshot)).toMatchObject({ state: 'applied', counts });
}

async function namesOfDeleted(account: Account): Promise<(string | null)[]> {
  const { employees } = await listEmployees(account);
  return employees.filter(({ is_deleted }) => is_deleted).map(({ import_id }) => import_id);
}

describe('exactly at the threshold is not above it', () => {
  it('applies 2 of 10 [IMPORT-THRESHOLD-2]', async () => {
    const account = await managing(10);
    await expectApplied(account, records(1, 8), { offboarded: 2, unchanged: 8 });
    expect(await namesOfDeleted(account)).toEqual(['E9', 'E10']);
  });

  it('applies 1 of 5 [IMPORT-THRESHOLD-2]', async () => expectApplied(await managing(5), records(1, 4), { offboarded: 1 }));

  it('applies 29 of 100 at a threshold of 29 [IMPORT-THRESHOLD-2]', async () => {
    await expectApplied(await managing(100, '29'), records(1, 71), { offboarded: 29 });
  });

  it('applies 1 of 8 at a threshold of 12.5 [IMPORT-THRESHOLD-2]', async () => {
    await expectApplied(await managing(8, '12.5'), records(1, 7), { offboarded: 1 });
  });
});

describe('above the threshold nothing changes', () => {
  it('cancels 1 of 4 [IMPORT-THRESHOLD-1]', async () => expectCancelled(await managing(4), records(1, 3)));
  it('cancels the replacement of the only one [IMPORT-THRESHOLD-1]', async () => expectCancelled(await managing(1), [R(2)]));
  it('cancels 9 of 44, which is 20.5 % [IMPORT-THRESHOLD-1]', async () => expectCancelled(await managing(44), records(1, 35)));

  it('cancels 3 of 10 however many are new [IMPORT-THRESHOLD-3]', async () => {
    await expectCancelled(await managing(10), [...records(1, 7), ...records(11, 110)]);
  });

  it('cancels 3 of 10 however many were created in the app [IMPORT-THRESHOLD-3]', async () => {
    const account = await operator.createAccount();
    await arrangeEmployees(db, account.accountId, 90);
    await importAndWait(account, records(1001, 1010));
    await expectCancelled(account, records(1001, 1007));
  });

  it('cancels 3 of 10 however many were offboarded before [IMPORT-THRESHOLD-3]', async () => {
    const account = await managing(50, '100');
    await expectApplied(account, records(1, 10), { offboarded: 40 });
    await operator.connect(account.accountId, { threshold: '20' });
    await expectCancelled(account, records(1, 7));
  });

  it('cancels 1 of 1,000 at a threshold of 0 [IMPORT-THRESHOLD-6]', async () => {
    const account = await managing(1000, '0');
    await expectCancelled(account, records(1, 999));
    await expectApplied(account, records(1, 1000), { offboarded: 0, unchanged: 1000 });
  });

  it('creates neither an attribute nor a value [IMPORT-LIFECYCLE-CANCEL-2]', async () => {
    const account = await managing(4);
    await expectCancelled(account, [R(1, { attributes: [{ name: 'Department', value: { name: 'Sales' } }] })]);
    const { rows } = await db.query('select from imports.attribute where account_id = $1', [account.accountId]);
    expect(rows).toHaveLength(0);
  });
});

describe('what the guard leaves alone', () => {
  it('applies a first import [IMPORT-THRESHOLD-4]', async () => {
    await expectApplied(await operator.createAccount(), records(1, 500), { created: 500 });
  });

  it('applies the replacement of all employees at a threshold of 100 [IMPORT-THRESHOLD-6]', async () => {
    await expectApplied(await managing(5, '100'), records(6, 10), { created: 5, offboarded: 5 });
  });

  it('judges each import by itself: 100, 80, 64 [IMPORT-THRESHOLD-8]', async () => {
    const account = await managing(100);
    await expectApplied(account, records(1, 80), { offboarded: 20 });
    await expectApplied(account, records(1, 64), { offboarded: 16 });
    expect(await namesOfDeleted(account)).toHaveLength(36);
  });
});

describe('who counts', () => {
  it('counts skipped employees as present [IMPORT-THRESHOLD-5]', async () => {
    const account = await managing(10);
    const rejected = [4, 5, 6, 7, 8].map((n) => R(n, { role: 'Boss', lastname: 'Changed' }));
    const changed = [1, 2, 3].map((n) => R(n, { lastname: 'Changed' }));
    await expectApplied(account, [...changed, ...rejected], { updated: 3, skipped: 5, offboarded: 2 });
    const { employees } = await listEmployees(account);
    expect(employees.map(({ lastname, is_deleted }) => [lastname, is_deleted])).toEqual([
      ...changed.map(() => ['Changed', false]),
      ...rejected.map((_, index) => [`L${index + 4}`, false]),
      ['L9', true],
      ['L10', true],
    ]);
  });

  it('applies a snapshot in which every record is skipped, and offboards no employees [IMPORT-LIFECYCLE-SKIP-1]', async () => {
    const account = await managing(3);
    const everybody = [1, 2, 3].map((n) => R(n, { role: 'Boss' }));
    await expectApplied(account, everybody, { skipped: 3, offboarded: 0 });
  });

  it('counts one as present who is skipped for the e-mail address of another [IMPORT-THRESHOLD-5]', async () => {
    const account = await managing(4);
    await expectApplied(account, [...records(1, 3), R(4, { email: 'e1@x.io' })], { skipped: 1, offboarded: 0 });
    expect(await namesOfDeleted(account)).toEqual([]);
  });

  it('judges by those who were there before the import [IMPORT-THRESHOLD-3]', async () => {
    const account = await managing(11);
    await expectApplied(account, records(1, 10), { offboarded: 1 });
    await expectApplied(account, [...records(1, 8), R(11)], { reactivated: 1, offboarded: 2 });
  });

  it('takes the threshold at the time of application [IMPORT-THRESHOLD-7]', async () => {
    const account = await managing(10);
    // Fills all import slots, so that the import is queued.
    await using holds = new AsyncDisposableStack();
    for (let n = 0; n < 4; n++) {
      const busy = await operator.createAccount();
      holds.use(await holdAccount(db, busy.accountId));
      await api.post('/v1/employees/imports', { employees: [R(1)] }, busy.writeKey);
    }
    const ended = importAndWait(account, records(1, 5));
    await expect.poll(() => runningImports(account)).toBe(1);
    await operator.connect(account.accountId, { threshold: '50' });
    await holds.disposeAsync();
    expect(await ended).toMatchObject({ state: 'applied', counts: { offboarded: 5 } });
    const { rows } = await db.query(
      'select deletion_threshold::float8, managed from imports.import where account_id = $1 and offboarded > 0',
      [account.accountId],
    );
    expect(rows).toEqual([{ deletion_threshold: 50, managed: 10 }]);
  });
});

async function runningImports({ accountId }: Account): Promise<number> {
  const { rowCount } = await db.query('select from imports.import where account_id = $1 and finished_at is null', [accountId]);
  return rowCount ?? 0;
}
