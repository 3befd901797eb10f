import { addKeyUsage } from '@survey/gateway/keys/key-usage.ts';
import { describe, expect, it } from 'vitest';
import { shareStack, startFileStack } from '../support/file-stack.ts';
import { R, records } from '../support/records.ts';
import { surveyctlAt } from '../support/surveyctl.ts';

const { stack, operator, db, importAndWait } = await shareStack();
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

  it('creates an account with the guard that was decided, and turns it off only with a reason [GUARD-SETTING-1]', async () => {
    const { account_id } = await json('account', 'create', '--name', 'Guarded', '--disclosure-guard', 'strict');
    const of = ['--account', String(account_id)];
    expect(await json('settings', 'show', ...of)).toMatchObject({ version: 1, disclosure_guard: 'strict' });
    const off = ['settings', 'set', ...of, '--disclosure-guard', 'off'];
    expect(await surveyctl(off)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('a reason is required') });
    expect(await json(...off, '--reason', 'works council')).toMatchObject({ version: 2, disclosure_guard: 'off' });
    const { entries } = await json('audit', 'list', ...of);
    expect(entries).toMatchObject([
      { reason: 'works council' },
      { action: 'account.create', after: expect.stringContaining('strict') },
    ]);
  });

  it('shows an account only with a reason, which its audit log records with the look', async () => {
    const account = await operator.createAccount();
    const of = ['--account', String(account.accountId)];
    await importAndWait(account, [admin, ...records(1, 2)]);
    expect(await surveyctl(['account', 'show', ...of])).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await surveyctl(['account', 'show', ...of, '--reason', 'x'])).toMatchObject({ exitCode: 2, stdout: '' });
    const shown = await json('account', 'show', ...of, '--reason', 'Ticket 4711');
    expect(shown).toMatchObject({
      account_id: account.accountId,
      name: 'Test',
      managed: 3,
      integration: { connected: true },
      imports: [{ state: 'applied' }],
      admins: [{ email: 'admin@x.io' }],
      issuers: [],
    });
    const people = await surveyctl(['account', 'show', ...of, '--reason', 'Ticket 4712']);
    expect(people.stdout).toMatch(/employees +3 managed by imports[^]*admins +1, and 0 invited[^]*applied/);
    const { entries } = await json('audit', 'list', ...of, '--action', 'account.enter');
    expect(entries).toMatchObject([
      { actor_kind: 'surveyctl', reason: 'Ticket 4712' },
      { actor_kind: 'surveyctl', reason: 'Ticket 4711' },
    ]);
    expect(await surveyctl(['account', 'show', '--account', '999999', '--reason', 'Ticket'])).toMatchObject({
      exitCode: 1,
      stdout: '',
    });
  });

  it('prepares an account for its first admin, and records each change with its reason [AUTH-INVITATION-1]', async () => {
    const account = await operator.createAccount();
    const of = ['--account', String(account.accountId), '--reason', 'Order 2041'];
    const issuers = ['https://login.example.com'];
    expect(await json('account', 'issuers', ...of, '--issuer', ...issuers)).toEqual({ issuers });
    const invited = { email: 'first@x.io', is_used: false };
    expect(await json('account', 'invite', ...of, '--email', ' first@x.io ')).toMatchObject(invited);
    expect(await json('account', 'admins', ...of)).toMatchObject({ admins: [], invitations: [invited], mails: [] });
    expect((await surveyctl(['account', 'admins', ...of])).stdout).toMatch(/first@x\.io +\d{4}-.* no\n/);
    await json('account', 'invite', ...of, '--email', 'first@x.io', '--withdraw');
    expect(await json('account', 'admins', ...of)).toMatchObject({ invitations: [] });
    await json('settings', 'set', ...of, '--rate-limit', '100');
    const { entries } = await json('audit', 'list', ...of, '--limit', '4');
    expect(entries.map(({ action, reason }: Record<string, unknown>) => [action, reason])).toEqual(
      ['settings.set', 'admin.invite.withdraw', 'admin.invite', 'account.issuers'].map((action) => [action, 'Order 2041']),
    );
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
    for (const since of ['yesterday', '0000-01-01', '+010000-01-01'])
      expect((await surveyctl(['audit', 'list', ...of, '--since', since])).exitCode).toBe(2);
    expect((await surveyctl(['audit', 'list', ...of, '--limit', '1001'])).exitCode).toBe(2);
  });

  it('lists the requests of each key by day', async () => {
    const account = await operator.createAccount();
    const of = ['--account', String(account.accountId)];
    const { keys } = await json('key', 'list', ...of);
    const { accountId: account_id } = account;
    const counts = { key_id: String(keys[0].key_id), succeeded: 5, rejected: 4, throttled: 3, failed: 2 };
    const stored = { account_id, ...counts, deprecated: 6, last_used_at: new Date().toISOString() };
    await addKeyUsage(db, [stored]);
    // A gateway of the last release counts no deprecated requests.
    const { deprecated: _deprecated, ...former } = stored;
    await db.query('select admin.add_key_usage($1::jsonb)', [JSON.stringify([former])]);
    const { usage } = await json('key', 'usage', ...of);
    const day = expect.any(String);
    expect(usage).toEqual([{ ...counts, day, succeeded: 10, rejected: 8, throttled: 6, failed: 4, deprecated: 6 }]);
  });
});

describe('an installation without a default guard', () => {
  it('creates no account before somebody has decided [GUARD-SETTING-1]', async () => {
    const undecided = await startFileStack({ 'account-admin': { DISCLOSURE_GUARD_DEFAULT: '' } });
    const create = (...args: readonly string[]) => surveyctlAt(undecided.stack)(['account', 'create', '--name', 'A', ...args]);
    expect(await create()).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('disclosure_guard must be strict or off'),
    });
    expect(await create('--disclosure-guard', 'off')).toMatchObject({ exitCode: 0 });
    const { rows } = await undecided.db.query('select from admin.account');
    expect(rows).toHaveLength(1);
  });
});
