import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { R, records } from '../support/records.ts';
import { scrape } from '../support/scrape.ts';
import { surveyctlAt } from '../support/surveyctl.ts';

// These tests keep allow-deletes bodies and record outcomes for 10 s.
const TEN_SECONDS = String(10 / 86_400);
const { db, stack, operator, importAndWait } = await startFileStack({
  'import-reconciler': { IMPORT_RETENTION_DAYS: TEN_SECONDS, ALLOW_DELETES_DAYS: TEN_SECONDS, SWEEP_INTERVAL_SECONDS: '1' },
});
const surveyctl = surveyctlAt(stack);

const SWEPT = { timeout: 90_000, interval: 200 };

async function kept(importUuid: string): Promise<Record<string, number> | undefined> {
  const { rows } = await db.query<Record<string, number>>(
    `select (select count(*)::int from imports.payload where import_uuid = $1) as pieces,
            (select count(*)::int from imports.record_result where import_uuid = $1) as records,
            (select count(*)::int from imports.mail where import_uuid = $1) as mails`,
    [importUuid],
  );
  return rows[0];
}

const NOTHING = { pieces: 0, records: 0, mails: 0 };

async function show({ accountId }: Account, importUuid: string, ...more: string[]): Promise<string> {
  return (await surveyctl(['import', 'show', importUuid, '--account', String(accountId), ...more])).stdout;
}

it('deletes the body in the transaction that ends the import, unless the deletion threshold alone cancelled it [IMPORT-LIFECYCLE-RETENTION-1]', async () => {
  const account = await operator.createAccount();
  const applied = await importAndWait(account, records(1, 4));
  expect(await kept(applied.importUuid)).toMatchObject({ pieces: 0, records: 4 });
  const repeated = await importAndWait(account, [R(1), R(1)]);
  expect([repeated.state, await kept(repeated.importUuid)]).toEqual(['cancelled', { ...NOTHING, mails: 1 }]);
  const threshold = await importAndWait(account, records(1, 1));
  expect([threshold.state, await kept(threshold.importUuid)]).toEqual(['cancelled', { ...NOTHING, pieces: 1, mails: 1 }]);
});

it.concurrent('keeps an upload until an hour after its last chunk, however old its first one is', async ({ expect }) => {
  const { accountId } = await operator.createAccount();
  const going = await upload(accountId, '1 minute');
  const abandoned = await upload(accountId, '61 minutes');
  await expect.poll(() => kept(abandoned), SWEPT).toEqual(NOTHING);
  expect(await kept(going)).toEqual({ ...NOTHING, pieces: 1 });
});

/** Adds an upload with the given age of its last chunk. */
async function upload(accountId: number, since: string): Promise<string> {
  const importUuid = randomUUID();
  await db.query(
    `with upload as (
       insert into imports.upload (account_id, import_uuid, last_chunk_at) values ($1, $2, now() - $3::interval))
     insert into imports.payload (account_id, import_uuid, chunk, data) values ($1, $2, 0, '{')`,
    [accountId, importUuid, since],
  );
  return importUuid;
}

it.concurrent('deletes records and mail of an import when its time is over; counts stay; show says when', async ({ expect }) => {
  const account = await operator.createAccount();
  // More records than one deletion batch.
  const outcome = await importAndWait(account, [...records(1, 6_000), R(6_001, { role: 'Boss' })]);
  expect(await kept(outcome.importUuid)).toMatchObject({ records: 6_001, mails: 1 });
  expect(await show(account, outcome.importUuid)).toMatch(/are kept until \d{4}-/);
  await expect.poll(() => kept(outcome.importUuid), SWEPT).toEqual(NOTHING);

  const after = await operator.importEnded(account.accountId, outcome.importUuid);
  expect(after).toEqual({ ...outcome, records: [] });
  expect(await show(account, outcome.importUuid)).toMatch(/were deleted on \d{4}-/);
  expect(JSON.parse(await show(account, outcome.importUuid, '--json'))).toMatchObject({
    state: 'applied',
    counts: { created: 6_000, skipped: 1 },
    records: [],
    records_deleted_at: expect.stringMatching(/^\d{4}-.*Z$/),
  });
});

it.concurrent('keeps why an import was cancelled; it cannot be released any more', async ({ expect }) => {
  const account = await operator.createAccount();
  await importAndWait(account, records(1, 4));
  const outcome = await importAndWait(account, records(1, 1));
  expect(await kept(outcome.importUuid)).toEqual({ ...NOTHING, pieces: 1, mails: 1 });
  await expect.poll(() => kept(outcome.importUuid), SWEPT).toEqual(NOTHING);
  expect((await operator.showImport(account.accountId, outcome.importUuid)).reasons).toEqual(outcome.reasons);
  const { exitCode, stderr } = await surveyctl([
    'import',
    'allow-deletes',
    outcome.importUuid,
    '--account',
    String(account.accountId),
  ]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringMatching(/deleted after its retention/) });
});

it.concurrent('keeps what a mail still has to say until the mail server has taken it', async ({ expect }) => {
  const account = await operator.createAccount();
  const waiting = await importAndWait(account, [R(1)]);
  // As if the mail server had been unavailable.
  await db.query(
    "insert into imports.mail (account_id, id, import_uuid, next_attempt_at) values ($1, $2, $2, now() + interval '1 hour')",
    [account.accountId, waiting.importUuid],
  );
  const later = await importAndWait(account, [R(1), R(2)]);
  await expect.poll(() => kept(later.importUuid), SWEPT).toEqual(NOTHING);
  expect(await kept(waiting.importUuid)).toEqual({ pieces: 0, records: 1, mails: 1 });
  await db.query('update imports.mail set sent_at = now() where import_uuid = $1', [waiting.importUuid]);
  await expect.poll(() => kept(waiting.importUuid), SWEPT).toEqual(NOTHING);
});

it('keeps the records of an import as long as the settings of its account say [IMPORT-LIFECYCLE-RETENTION-1]', async () => {
  const account = await operator.createAccount();
  const of = ['--account', String(account.accountId)];
  expect((await surveyctl(['settings', 'set', ...of, '--retain-outcomes', '90', '--json'])).stdout).toContain(
    '"retain_outcomes_days":90',
  );
  const { importUuid } = await importAndWait(account, records(1, 2));
  const { rows } = await db.query(
    'select round(extract(epoch from records_kept_until - finished_at) / 86400)::int as days from imports.import where import_uuid = $1',
    [importUuid],
  );
  expect(rows).toEqual([{ days: 90 }]);
  expect((await surveyctl(['settings', 'set', ...of, '--retain-outcomes', '0'])).exitCode).toBe(2);
});

it('reports how long ago the oldest data expired that is not deleted', async () => {
  const { accountId } = await operator.createAccount();
  // The sweep is minutes away.
  await db.query(
    `insert into imports.import (account_id, import_uuid, state, finished_at, plan_version, content_encoding, employees_total,
       records_kept_until) values ($1, $2, 'applied', now(), 1, 'identity', 0, now() - interval '1 hour')`,
    [accountId, randomUUID()],
  );
  const { rows } = await db.query("select round(seconds / 60) as minutes from imports.retention_lag() where kind = 'outcomes'");
  await db.query('delete from imports.import where account_id = $1', [accountId]);
  expect(rows).toEqual([{ minutes: 60 }]);
  const samples = await scrape(stack.services['import-reconciler'].probeAddress);
  const kinds = samples.filter(({ name }) => name === 'retention_lag_seconds').map(({ labels }) => labels['kind']);
  expect(new Set(kinds)).toEqual(new Set(['bodies', 'outcomes', 'offboarded']));
});
