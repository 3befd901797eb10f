import { datasetChunks } from '@survey/dataset/generate/write-dataset.ts';
import { workforce } from '@survey/dataset/generate/workforce.ts';
import { jetstreamManager } from '@nats-io/jetstream';
import { connectTool } from '@survey/bus/tool-connection.ts';
import { expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { eventsOf } from '../support/events.ts';
import { openIntake, survey } from '../support/facts.ts';
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
// What proves the deletion stays, and what the relay deletes within a day.
const KEPT = /^admin\.(account|account_deletion|audit|outbox|event_sequence)$|\.(deleted_rows|outbox|event_sequence)$/;

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

async function tablesWithRows(accountId: number): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select attrelid::regclass::text as name from pg_attribute join pg_class c on c.oid = attrelid
     where attname = 'account_id' and not attisdropped and c.relkind in ('r', 'p') order by 1`,
  );
  const found: string[] = [];
  for (const { name } of rows)
    if (((await db.query(`select from ${name} where account_id = $1 limit 1`, [accountId])).rowCount ?? 0) > 0) found.push(name);
  return found;
}

const deletion = (command: string, { accountId }: Account, ...args: string[]) =>
  surveyctl(['account', ...command.split(' '), '--account', String(accountId), '--json', ...args]);

it('deletes everything of the account and nothing of another one [DATA-DELETION-1]', { timeout: 120_000 }, async () => {
  const [leaving, staying] = [await accountWithData(), await accountWithData()];
  const before = await readAll(staying);
  const employees = (await file.listEmployees(leaving)).total_count;
  expect((await tablesWithRows(leaving.accountId)).length).toBeGreaterThan(25);

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
  expect((await tablesWithRows(leaving.accountId)).filter((table) => !KEPT.test(table))).toEqual([]);
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
