import { describe, expect, it } from 'vitest';
import { startFileStack } from '../support/file-stack.ts';
import { R, records } from '../support/records.ts';
import { surveyctlAt } from '../support/surveyctl.ts';

const { stack, operator, db, importAndWait } = await startFileStack();
const surveyctl = surveyctlAt(stack);

const site = (n: number) => R(n, { attributes: [{ name: 'Site', value: { name: 'Lyon' } }] });
const admin = R(0, { role: 'Admin', email: 'admin@x.io' });

async function json(...args: readonly string[]) {
  const done = await surveyctl([...args, '--json']);
  expect(done.stderr).toBe('');
  return JSON.parse(done.stdout);
}

describe('surveyctl', () => {
  it('lists whom a cancelled import would offboard and what they have in common', async () => {
    const account = await operator.createAccount();
    const of = ['--account', String(account.accountId)];
    await importAndWait(account, [admin, ...records(1, 5), site(6), site(7), site(8)]);
    const { importUuid } = await importAndWait(account, [admin, ...records(1, 5)]);
    const found = await json('import', 'offboarded', importUuid, ...of, '--limit', '2');
    expect(found).toMatchObject({
      total: 3,
      employees: [{ import_id: 'E6' }, { import_id: 'E7' }],
      shared: [{ attribute: 'Site', value: 'Lyon', offboarded: 3, having: 3 }],
    });
    const shown = await surveyctl(['import', 'offboarded', importUuid, ...of]);
    expect(shown.stdout).toMatch(/E8[^]*3 of 3 employees[^]*Lyon/);
  });

  it('lists the admins of an account and its audit by action', async () => {
    const account = await operator.createAccount();
    const of = ['--account', String(account.accountId)];
    await importAndWait(account, [admin, ...records(1, 2)]);
    await json('key', 'create', ...of, '--scope', 'read', '--name', 'BI');
    expect(await json('account', 'admins', ...of)).toMatchObject({ admins: [{ import_id: 'E0', email: 'admin@x.io' }] });
    const { entries } = await json('audit', 'list', ...of, '--action', 'key', '--limit', '1');
    expect(entries).toMatchObject([{ action: 'key.create', actor_kind: 'surveyctl' }]);
    expect(await json('audit', 'list', ...of, '--since', '2020-01-01')).toMatchObject({
      entries: expect.arrayContaining(entries),
    });
    expect(await json('audit', 'list', ...of, '--since', '2120-01-01T00:00:00Z')).toEqual({ entries: [] });
    expect((await surveyctl(['audit', 'list', ...of, '--since', 'yesterday'])).exitCode).toBe(2);
    expect((await surveyctl(['audit', 'list', ...of, '--limit', '1001'])).exitCode).toBe(2);
  });

  it('lists the requests of each key by day', async () => {
    const account = await operator.createAccount();
    const of = ['--account', String(account.accountId)];
    const { keys } = await json('key', 'list', ...of);
    await db.query(
      `insert into admin.key_usage (account_id, key_id, day, succeeded, rejected, throttled, failed, last_used_at)
       values ($1, $2, (now() at time zone 'utc')::date, 5, 4, 3, 2, now())`,
      [account.accountId, keys[0].key_id],
    );
    const { usage } = await json('key', 'usage', ...of);
    expect(usage).toMatchObject([{ key_id: keys[0].key_id, succeeded: 5, rejected: 4, throttled: 3, failed: 2 }]);
  });
});
