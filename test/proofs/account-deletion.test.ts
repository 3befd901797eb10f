import { randomUUID } from 'node:crypto';
import { datasetChunks } from '@survey/demo-data/write-dataset.ts';
import { workforce } from '@survey/demo-data/workforce.ts';
import { jetstreamManager } from '@nats-io/jetstream';
import { connectTool } from '@survey/bus/connection.ts';
import { saveChunk } from '@survey/import-reconciler/tables/stored-body.ts';
import { inAccount } from '@survey/postgres/database.ts';
import { expect, inject, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { eventsOf } from '../support/events.ts';
import { openIntake, survey } from '../support/facts.ts';
import { openBackup } from '../support/backup.ts';
import { isDeleted, tablesWithData } from '../support/deleted-account.ts';
import { startFileStack } from '../support/file-stack.ts';
import { R } from '../support/records.ts';
import { surveyctlAt } from '../support/surveyctl.ts';

const file = await startFileStack();
const { api, db, operator, stack } = file;
const intake = await openIntake(stack);
const surveyctl = surveyctlAt(stack);
const size = { employees: 60, months: 2, seed: 5 };
const dataset = [...datasetChunks(size)].join('');
const PATHS = ['surveys', 'questions', 'survey_cycles', 'survey_assignments', 'initiatives', 'employees', 'attributes'];

async function accountWithData(): Promise<Account> {
  const account = await operator.createAccount();
  await file.importAndWait(account, [...workforce(size), R(900, { email: 'no address' })]);
  expect(await surveyctl(['dataset', 'load', '-', '--account', String(account.accountId)], dataset)).toMatchObject({
    exitCode: 0,
  });
  return account;
}

const readAll = ({ readKey }: Account): Promise<string[]> =>
  Promise.all(PATHS.map(async (path) => JSON.stringify((await api.get(`/v1/${path}?limit=1000`, readKey)).body)));

const deletion = (command: string, { accountId }: Account, ...args: string[]) =>
  surveyctl(['account', ...command.split(' '), '--account', String(accountId), '--json', ...args]);

// The first test waits for the 15 s of settling; the others do not.
async function untilDeleted(account: Account): Promise<void> {
  await expect.poll(() => isDeleted(db, account.accountId)).toBe(true);
  expect(await deletion('deletion watch', account)).toMatchObject({ exitCode: 0 });
}

it('deletes everything of the account and nothing of another one [DATA-DELETION-1]', { timeout: 300_000 }, async () => {
  const [leaving, staying] = await Promise.all([accountWithData(), accountWithData()]);
  const before = await readAll(staying);
  const employees = (await file.listEmployees(leaving)).total_count;
  expect((await tablesWithData(db, leaving.accountId)).length).toBeGreaterThan(25);

  expect(await deletion('delete', leaving, '--confirm', 'another name')).toMatchObject({ exitCode: 1 });
  const { rows } = await db.query<{ name: string }>('select name from admin.account where account_id = $1', [leaving.accountId]);
  const name = rows[0]?.name ?? '';
  expect((await deletion('delete', leaving, '--confirm', name)).stderr).toContain('integration is connected');
  expect(await deletion('delete', leaving, '--confirm', name, '--force')).toMatchObject({ exitCode: 0 });
  await expect.poll(async () => (await api.get('/v1/employees', leaving.readKey)).status, { timeout: 2_000 }).toBe(401);
  await intake.publishFacts(leaving.accountId, 'survey', [survey(900)], { addRespondents: false });

  const watched = await deletion('deletion watch', leaving);
  expect(watched).toMatchObject({ exitCode: 0 });
  const certificate = JSON.parse(watched.stdout);
  expect(certificate).toMatchObject({ state: 'finished', pending_schemas: [] });
  expect(certificate.deleted).toContainEqual({ table: 'imports.employee', rows: employees });
  // The first chunk of an upload that began before.
  const upload = { accountId: leaving.accountId, importUuid: randomUUID() };
  expect(await inAccount(db, leaving.accountId, (tx) => saveChunk(tx, upload, 0, Buffer.from('[')))).toBe(false);
  expect(await tablesWithData(db, leaving.accountId)).toEqual([]);
  expect(await readAll(staying)).toEqual(before);

  const { bus, ...connection } = await connectTool(stack.natsUrl, 'test');
  await using _ = connection;
  const { state } = await (
    await jetstreamManager(bus)
  ).streams.info('INTAKE', { subjects_filter: `intake.*.${leaving.accountId}` });
  expect(state.subjects ?? {}).toEqual({});
  const events = await eventsOf(db, bus, leaving.accountId);
  expect(events.map(({ what }) => what).filter((what) => what.startsWith('account.'))).toEqual([
    'account.closed',
    'account.deleted',
  ]);

  expect((await deletion('delete', leaving, '--confirm', name, '--force')).stderr).toContain('is closed');
  const { entries } = JSON.parse((await surveyctl(['audit', 'list', '--account', String(leaving.accountId), '--json'])).stdout);
  expect(entries.slice(0, 3).map(({ action }: { action: string }) => action)).toEqual([
    'account.deleted',
    'account.close',
    'account.delete',
  ]);
  expect((await operator.createAccount()).accountId).toBeGreaterThan(staying.accountId);
});

it('is taken back until it is due [DATA-DELETION-2]', async () => {
  const account = await operator.createAccount({ connected: false });
  const { rows } = await db.query<{ name: string }>('select name from admin.account where account_id = $1', [account.accountId]);
  const requested = await deletion('delete', account, '--confirm', rows[0]?.name ?? '', '--after', '30d');
  expect(JSON.parse(requested.stdout)).toMatchObject({ state: 'scheduled' });
  expect((await api.get('/v1/employees', account.readKey)).status).toBe(200);
  expect(JSON.parse((await deletion('deletion cancel', account)).stdout)).toMatchObject({ state: 'taken_back' });
  expect((await deletion('deletion show', account)).exitCode).toBe(1);
});

// Ends all connections of the database: keep this test the last one.
it(
  'deletes accounts and erases employees again after a restore [DATA-DELETION-3] [DATA-ERASURE-5]',
  { timeout: 300_000 },
  async () => {
    db.on('error', () => {});
    const [leaving, staying] = await Promise.all([accountWithData(), accountWithData()]);
    const before = await readAll(staying);
    const employer = await operator.createAccount();
    await file.importAndWait(employer, [R(1), R(2)]);
    const importIds = async () => (await file.listEmployees(employer)).employees.map(({ import_id }) => import_id);
    const erasing = (...args: string[]) => surveyctl(['employee', ...args, '--json']);
    const erase = ['erase', '--account', String(employer.accountId), '--import-id', 'E1'];
    await using database = await openBackup(stack, inject('postgres').workerUrls);
    await database.take();
    const choice = ['settings', 'set', '--account', String(employer.accountId), '--erased-answers', 'delete'];
    expect(await surveyctl(choice)).toMatchObject({ exitCode: 0 });
    expect(await erasing(...erase)).toMatchObject({ exitCode: 0 });
    const later = await operator.createAccount();
    for (const account of [leaving, later]) {
      const { rows } = await db.query<{ name: string }>('select name from admin.account where account_id = $1', [
        account.accountId,
      ]);
      expect(await deletion('delete', account, '--confirm', rows[0]?.name ?? '', '--force')).toMatchObject({ exitCode: 0 });
    }
    for (const account of [leaving, later]) await untilDeleted(account);
    await database.restore();
    expect(await tablesWithData(db, leaving.accountId)).toContain('imports.employee');

    const replay = async () => JSON.parse((await surveyctl(['account', 'deletion', 'replay', '--json'])).stdout).deletions;
    expect(await replay()).toEqual(
      expect.arrayContaining([
        { account_id: leaving.accountId, recorded_at: expect.any(String), outcome: 'requested' },
        { account_id: later.accountId, recorded_at: expect.any(String), outcome: 'absent' },
      ]),
    );
    await untilDeleted(leaving);
    expect(await tablesWithData(db, leaving.accountId)).toEqual([]);
    expect(await readAll(staying)).toEqual(before);
    expect((await operator.createAccount()).accountId).toBeGreaterThan(later.accountId);
    expect(await replay()).toContainEqual(expect.objectContaining({ account_id: leaving.accountId, outcome: 'finished' }));

    expect(await importIds()).toEqual(['E1', 'E2']);
    const replayed = JSON.parse((await erasing('replay-erasures')).stdout).erasures;
    expect(replayed).toMatchObject([{ account_id: employer.accountId, outcome: 'requested' }]);
    expect(JSON.parse((await erasing(...erase)).stdout)).toMatchObject({ state: 'finished', answers: 'delete' });
    expect(await importIds()).toEqual([null, 'E2']);
  },
);
