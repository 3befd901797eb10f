import { jetstreamManager } from '@nats-io/jetstream';
import { connectTool } from '@survey/bus/tool-connection.ts';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isDeleted } from '../support/deleted-account.ts';
import { shareStack } from '../support/file-stack.ts';

// The clock of every service differs from those of PostgreSQL and Redis, which decide.
const { operator, db, stack } = await shareStack();
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
  it.each([-DAY_MS, DAY_MS])('is one of today and later by the clock of PostgreSQL, not by one that is %i ms off', async (byMs) => {
    const { accountId: account_id } = await operator.createAccount();
    const { rows } = await db.query<{ today: string; yesterday: string }>(
      `select (now() at time zone 'UTC')::date::text as today, (now() at time zone 'UTC')::date - 1 || '' as yesterday`,
    );
    const create = (expires_on: string | undefined) => operator.admin.createKey({ account_id, scope: 'read', expires_on }, CALL);
    setClocksOff(byMs);
    await expect(create(rows[0]?.today)).resolves.toMatchObject({ key_id: expect.any(String) });
    await expect(create(rows[0]?.yesterday)).rejects.toThrow('expires_on must be today or later');
  });
});
