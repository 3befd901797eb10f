import { jetstreamManager } from '@nats-io/jetstream';
import { connectTool } from '@survey/bus/connection.ts';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { startTestConsole } from '../support/console.ts';
import { hiddenFields } from '../support/console-client.ts';
import { isDeleted } from '../support/deleted-account.ts';
import { shareStack } from '../support/file-stack.ts';
import { R } from '../support/records.ts';

// The clock of every service differs from those of PostgreSQL and Redis, which decide.
const { operator, db, stack, importAndWait } = await shareStack();
const web = await startTestConsole(stack, operator);
afterAll(() => web[Symbol.asyncDispose]());
const CALL = { caller: { requestId: 'test' }, deadlineMs: 10_000 };
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const setClocksOff = (byMs: number): void => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + byMs });
};
afterEach(() => {
  vi.useRealTimers();
});

const requestDeletion = (account_id: number, after_seconds: number) =>
  operator.admin.deleteAccount({ account_id, name: 'Test', after_seconds, force: true }, CALL);

describe('the deletion of an account', () => {
  it('is due at once for a process whose clock is an hour behind [DATA-DELETION-1]', async () => {
    const { accountId } = await operator.createAccount();
    setClocksOff(-HOUR_MS);
    await requestDeletion(accountId, 0);
    await expect.poll(() => isDeleted(db, accountId)).toBe(true);
  });

  it('is not due for a process whose clock is two hours ahead, and can be taken back [DATA-DELETION-1]', async () => {
    const { accountId } = await operator.createAccount();
    setClocksOff(2 * HOUR_MS);
    // Work of an earlier request is looked at before the deletion is due.
    await db.query("insert into admin.due (kind, account_id, due_at) values ('account-deletion', $1, now())", [accountId]);
    await requestDeletion(accountId, 3_600);
    const dueInAnHour = "select from admin.due where account_id = $1 and due_at > now() + interval '30 minutes'";
    await expect.poll(async () => (await db.query(dueInAnHour, [accountId])).rowCount).toBe(1);
    await using bus = await connectTool(stack.natsUrl, 'test');
    const { streams } = await jetstreamManager(bus.bus);
    expect(await streams.getMessage('DELETIONS', { last_by_subj: `deletions.account.${accountId}` })).toBeNull();
    expect(await operator.admin.cancelAccountDeletion({ account_id: accountId }, CALL)).toMatchObject({ state: 'taken_back' });
  });
});

describe('the last day of a key', () => {
  it.each([-DAY_MS, DAY_MS])(
    'is one of today and later by the clock of PostgreSQL, not by one that is %i ms off',
    async (byMs) => {
      const { accountId: account_id } = await operator.createAccount();
      const { rows } = await db.query<{ today: string; yesterday: string }>(
        `select (now() at time zone 'UTC')::date::text as today, (now() at time zone 'UTC')::date - 1 || '' as yesterday`,
      );
      const create = (expires_on: string | undefined) =>
        operator.admin.createKey({ account_id, scope: 'read', expires_on }, CALL);
      setClocksOff(byMs);
      await expect(create(rows[0]?.today)).resolves.toMatchObject({ key_id: expect.any(String) });
      await expect(create(rows[0]?.yesterday)).rejects.toThrow('expires_on must be today or later');
    },
  );
});

// Moving the clock between two requests is as good as two pods whose clocks differ.
describe('the console', () => {
  const signInWith = async (byMs: number) => {
    const account = await operator.createAccount();
    await web.bind(account.accountId);
    const email = `admin-${account.accountId}@x.io`;
    await importAndWait(account, [R(0, { email, role: 'Admin' })]);
    setClocksOff(byMs);
    const client = await web.signIn({ id: `admin-${account.accountId}`, name: 'Admin', email });
    vi.useRealTimers();
    return { client, at: (path: string): string => `/a/${account.accountId}${path}` };
  };

  it.each([-DAY_MS, HOUR_MS])('accepts a form of a pod whose clock is %i ms off', async (byMs) => {
    const { client, at } = await signInWith(0);
    setClocksOff(byMs);
    const { text } = await client.get(at('/integration'));
    vi.useRealTimers();
    const fields = { ...hiddenFields(text, at('/integration')), threshold: '12', language: 'de' };
    expect(await client.post(at('/integration'), fields)).toMatchObject({ status: 303 });
  });

  it('asks for no new authentication, and ends no session, on a pod whose clock is ten hours ahead', async () => {
    const { client, at } = await signInWith(0);
    setClocksOff(10 * HOUR_MS);
    const disconnect = at('/integration/disconnect');
    const { text } = await client.get(disconnect);
    expect(text).toContain('data-seconds="1800"');
    const done = await client.post(disconnect, { ...hiddenFields(text, disconnect), confirm: 'Test' });
    expect(done).toMatchObject({ status: 303, location: at('/integration?done=disconnected') });
  });

  it('signs in on a pod whose clock is a day off as on the others', async () => {
    for (const byMs of [-DAY_MS, DAY_MS]) {
      const { client, at } = await signInWith(byMs);
      const disconnect = at('/integration/disconnect');
      expect(await client.submit(disconnect, disconnect, { confirm: 'Test' })).toMatchObject({ status: 303 });
    }
  });
});
