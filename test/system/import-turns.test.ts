import { expect, it } from 'vitest';
import { holdAccount } from '../support/employees.ts';
import { startFileStack } from '../support/file-stack.ts';
import { records } from '../support/records.ts';

const { api, db, operator, importAndWait } = await startFileStack();

it('applies an import of few records while long ones fill their slots and more of them wait', async () => {
  const long = await Promise.all(Array.from({ length: 5 }, () => operator.createAccount()));
  await using holds = new AsyncDisposableStack();
  for (const { accountId } of long) holds.use(await holdAccount(db, accountId));
  const sent = await Promise.all(
    long.map(({ writeKey }) => api.post('/v1/employees/imports', { employees: records(1, 5_001) }, writeKey)),
  );
  expect(sent.map(({ status, body }) => (status === 202 ? status : body))).toEqual([202, 202, 202, 202, 202]);
  // Each running one waits for the lock of its account.
  const running = "select from pg_stat_activity where wait_event_type = 'Lock' and query ~ 'account_state .* for update'";
  await expect.poll(async () => (await db.query(running)).rowCount).toBe(3);
  const small = await operator.createAccount();
  expect(await importAndWait(small, records(1, 3))).toMatchObject({ state: 'applied' });
  await holds.disposeAsync();
  const unfinished = 'select from imports.import where finished_at is null';
  await expect.poll(async () => (await db.query(unfinished)).rowCount).toBe(0);
});
