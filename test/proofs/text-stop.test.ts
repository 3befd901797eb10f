import { setTimeout as sleep } from 'node:timers/promises';
import { roleUrl } from '@survey/local/service-environments.ts';
import { afterEach, beforeAll, expect, inject, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { openTextFixture, textResponses } from '../support/text-fixture.ts';
import { FaultyProcess } from '../failure/faulty-process.ts';

// text-analysis is stopped, as by an upgrade, while it masks texts.
const files = await startFileStack();
const { db, stack } = files;
const { fixture, settings, state, texts } = await openTextFixture(files);
const { services } = stack;
const environment = {
  DATABASE_URL: roleUrl(stack.databaseUrl, 'survey_text', inject('postgres').rolePasswords.survey_text),
  NATS_URL: stack.natsUrl,
  GRPC_LISTEN: services['text-analysis'].address,
  PROBE_LISTEN: services['text-analysis'].probeAddress,
  SCORING_ANONYMITY_ADDRESS: services['scoring-anonymity'].address,
  LOG_LEVEL: 'silent',
};
const service = new FaultyProcess({ service: 'text-analysis', environment });
const impatient = new FaultyProcess({
  service: 'text-analysis',
  environment: { ...environment, SHUTDOWN_TIMEOUT_MS: '1000' },
});
beforeAll(() => services['text-analysis'][Symbol.asyncDispose]());
afterEach(() => Promise.all([service.kill(), impatient.kill()]));

async function stoppedAt(failpoint: string, process: FaultyProcess): Promise<Account> {
  await process.start();
  const account = await fixture();
  await settings(account, { masking_entitled: true, masking: true });
  const stopped = process.waitUntilStoppedAt(failpoint, AbortSignal.timeout(30_000));
  await state(account, 'response', ...textResponses(4));
  await stopped;
  return account;
}

const unfinished = async ({ accountId }: Account): Promise<unknown[]> =>
  (await db.query('select distinct in_progress, crashes from text.pending where account_id = $1', [accountId])).rows;

// Of this database only: roles belong to the server, which other files use at the same time.
const limitConnections = (limit: number): Promise<unknown> =>
  db.query(`do $$ begin execute format('alter database %I connection limit ${limit}', current_database()); end $$`);

it.each(['mask.begun', 'mask.performed'])('ends its work at %s within the grace period, and exits with 0', async (failpoint) => {
  const account = await stoppedAt(failpoint, service);
  const exited = service.stop();
  // The stop has begun, and waits for the work.
  await expect.poll(() => unfinished(account)).toEqual([{ in_progress: false, crashes: 0 }]);
  service.release();
  await exited;
  expect(await unfinished(account)).toEqual([]);
  await service.start();
  await expect.poll(() => texts(account)).toHaveLength(4);
});

it('lets the processes that go on look at the answers that it leaves', async () => {
  await service.start();
  const account = await fixture();
  await settings(account, { masking_entitled: true, masking: true });
  await state(account, 'response', ...textResponses(4));
  await expect.poll(() => texts(account)).toHaveLength(4);
  const pending =
    "insert into text.pending (account_id, stage, answer, due_at) values ($1, 'mask', 0, now() + interval '1 hour')";
  await db.query(pending, [account.accountId]);
  await service.stop();
  const due = "select kind from text.due where account_id = $1 and kind = 'backfill'";
  expect((await db.query(due, [account.accountId])).rows).toEqual([{ kind: 'backfill' }]);
});

it('counts no crash when its work does not end within the grace period, and does it after the start', async () => {
  const account = await stoppedAt('mask.begun', impatient);
  await expect(impatient.stop()).rejects.toThrow('exited with 1');
  expect(await unfinished(account)).toEqual([{ in_progress: false, crashes: 0 }]);
  await service.start();
  // Not before the lease of the job ends, for which no test waits.
  await db.query('update text.pending set dispatched = false, due_at = now() where account_id = $1', [account.accountId]);
  await db.query("insert into text.due (kind, account_id, due_at) values ('dispatch', $1, now())", [account.accountId]);
  await expect.poll(() => texts(account)).toHaveLength(4);
});

it('counts no crash of a text when PostgreSQL is away at the end of an attempt', async () => {
  const account = await stoppedAt('mask.performed', service);
  const begunAgain = service.waitUntilStoppedAt('mask.begun', AbortSignal.timeout(60_000));
  await limitConnections(0);
  try {
    await db.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'survey_text' and datname = current_database()",
    );
    service.release();
    // Until it has noticed that it cannot connect.
    await sleep(3_000);
  } finally {
    await limitConnections(-1);
  }
  await begunAgain;
  expect(await unfinished(account)).toEqual([{ in_progress: true, crashes: 0 }]);
  service.release();
  await expect.poll(() => texts(account)).toHaveLength(4);
});
