import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inspectBus } from '@survey/bus/inspect-bus.ts';
import { provision } from '@survey/bus/provision.ts';
import { loadSecrets } from '@survey/local/secrets.ts';
import { Client } from 'pg';
import { afterAll, describe, expect, inject, it, vi } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { answers } from '../support/answers.ts';
import { startFileStack } from '../support/file-stack.ts';
import { createTemplate } from '../global-setup.ts';
import { R } from '../support/records.ts';
import { openScoreFixture, released } from '../support/score-fixture.ts';
import { C1, C2, openTextFixture, textResponse, textResponses } from '../support/text-fixture.ts';
import { surveyctlAt } from '../support/surveyctl.ts';
import { archiving, backUp, restore } from '../failure/base-backup.ts';
import { startReplicatedPostgres } from '../failure/replicated-postgres.ts';

const run = promisify(execFile);
const closing = new AsyncDisposableStack();
const folder = await mkdtemp(join(inject('postgres').folder, 'timeline-'));
closing.defer(() => rm(folder, { recursive: true, force: true }));
const { superuserPassword, rolePasswords } = await loadSecrets(join(folder, 'secrets.json'));
const archive = join(folder, 'archive');
await mkdir(archive);
// The server runs as another account.
await chmod(archive, 0o777);
const { primary, replica } = closing.use(await startReplicatedPostgres(folder, superuserPassword, archiving(archive)));
// Runs after the cleanup of the stack, which needs the servers.
afterAll(() => closing.disposeAsync());
const server = { url: primary.url, template: 'survey_template', rolePasswords, folder };
await createTemplate(server);
const files = await startFileStack({}, undefined, server);
const { db, importAndWait, listEmployees } = files;
const surveyctl = surveyctlAt(files.stack);
db.on('error', () => undefined);
const { fixture: scoreAccount, state, ask } = await openScoreFixture(files);
const { fixture: textAccount, ask: askTexts, read, state: stateTexts } = await openTextFixture(files);

const WAIT = { timeout: 30_000 };
const EMPTY = { total_count: 0, responses: [] };

async function query<Row extends object>(url: string, statement: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** Waits until the replica has all commits and then stops replication. */
async function stopReplicating(): Promise<void> {
  const [at] = await query<{ position: string }>(primary.url, 'select pg_current_wal_flush_lsn() as position');
  const hasReplayed = async (): Promise<boolean | undefined> =>
    (await query<{ all: boolean }>(replica.url, `select pg_last_wal_replay_lsn() >= '${at?.position}' as all`))[0]?.all;
  await vi.waitFor(async () => expect(await hasReplayed()).toBe(true), WAIT);
  await replica.kill();
}

/** Promotes the replica at the address of the primary; commits since stopReplicating are lost. */
async function failOver(): Promise<void> {
  await primary.kill();
  const dataOf = (name: string): string => join(folder, name, 'postgres');
  await rm(dataOf('primary'), { recursive: true });
  await run('cp', ['--archive', dataOf('replica'), join(folder, 'primary')]);
  await rm(join(dataOf('primary'), 'postmaster.pid'), { force: true });
  await primary.start();
  await query(primary.url, 'select pg_promote()');
}

const POINT = 'before_lost_commits';
const backedUp = { server: primary, data: join(folder, 'primary', 'postgres'), archive, backup: join(folder, 'backup') };

const LOSSES = [
  { loss: 'a failover', prepare: stopReplicating, lose: failOver },
  {
    loss: 'a point-in-time restore',
    prepare: () => backUp(backedUp, POINT),
    lose: () => restore(backedUp, POINT),
  },
];

const person = (n: number, department: string) => R(n, { attributes: [{ name: 'Department', value: { name: department } }] });

const departments = async (account: Account): Promise<string[]> =>
  (await listEmployees(account)).employees.flatMap((employee) =>
    employee.attributes.flatMap((attribute) => attribute.attribute_values.map((value) => value.name)),
  );

describe.each(LOSSES)('around $loss that loses commits', ({ prepare, lose }) => {
  let texts: Account, silent: Account, scores: Account, lost: Account, lists: Account, created: Account;
  let lostSince = '';

  it('returns data committed before the loss', async () => {
    const other = await textAccount();
    [texts, silent, scores, lost, lists] = [
      await textAccount(),
      await textAccount(),
      await scoreAccount(),
      await scoreAccount(),
      await files.operator.createAccount(),
    ];
    await stateTexts(texts, 'response', ...textResponses(2));
    await stateTexts(silent, 'response', ...textResponses(2));
    await state(scores, 'response', ...answers({ 11: [5, 5, 5, 5, 5] }));
    await state(lost, 'response', ...answers({ 11: [5, 5, 5, 5, 5] }), ...answers({ 12: [1, 1] }, { from: 6, people: [6, 7] }));
    await importAndWait(lists, [person(1, 'Sales')]);
    await ask(scores, '11');
    await prepare();
    lostSince = new Date().toISOString();

    created = await files.operator.createAccount();
    expect(await files.api.get('/v1/surveys', created.readKey)).toMatchObject({ status: 200 });
    await stateTexts(texts, 'response', ...textResponses(1, { from: 3 }));
    await stateTexts(silent, 'response', ...textResponses(1, { from: 3 }));
    await state(scores, 'response', ...answers({ 11: [5, 5] }, { from: 6, people: [6, 7] }));
    await state(lost, 'response', ...answers({ 11: [5, 5] }, { from: 8, people: [6, 7] }));
    await importAndWait(lists, [person(1, 'Sales'), person(2, 'Lost')]);
    expect([(await read(texts)).total_count, (await read(silent)).total_count]).toEqual([3, 3]);
    expect(await ask(scores, '11')).toMatchObject(released(100, 7));
    expect(await departments(lists)).toEqual(['Sales', 'Lost']);
    await lose();
    // Broken connections to the killed server are detected one by one.
    await vi.waitFor(async () => expect(await askTexts(other)).toMatchObject({ status: 200 }), WAIT);
  });

  it('returns no text of a cycle below its threshold when ids are reassigned', async () => {
    await stateTexts(texts, 'response', textResponse({ n: 4, texts: { 15: 'alone' }, cycleId: C2 }));
    await expect.poll(() => askTexts(texts)).toMatchObject({ status: 200, body: EMPTY });
    await stateTexts(texts, 'response', ...textResponses(1, { from: 5, cycleId: C1 }));
    expect((await read(texts)).responses.map(({ text }) => text).sort()).toEqual(['text 1', 'text 2', 'text 5']);
  });

  it('responds immediately when cached rows are ahead of the database', async () => {
    expect(await askTexts(silent)).toMatchObject({ status: 200, body: EMPTY });
  });

  it('computes scores from the remaining rows', async () => {
    await state(scores, 'response', ...answers({ 11: [1, 1] }, { from: 6, people: [6, 7] }));
    expect(await ask(scores, '11')).toMatchObject(released(71.43, 7));
  });

  it('lists attribute options of imports after the loss, not the lost ones', async () => {
    await expect.poll(() => importAndWait(lists, [person(1, 'Sales'), person(2, 'Kept')])).toMatchObject({ state: 'applied' });
    expect(await departments(lists)).toEqual(['Sales', 'Kept']);
  });

  it('rejects the key of an account that was created in lost commits, although it was cached', async () => {
    await expect.poll(() => files.api.get('/v1/surveys', created.readKey)).toMatchObject({ status: 401 });
  });

  it('ingests lost facts again after they are replayed', async () => {
    expect(await ask(lost, '11')).toMatchObject(released(100, 5));
    expect(await surveyctl(['facts', 'replay', '--since', lostSince])).toMatchObject({ exitCode: 0 });
    await expect.poll(() => ask(lost, '11')).toMatchObject(released(100, 7));
    await provision({ natsUrl: files.stack.natsUrl });
    expect((await inspectBus(files.stack.natsUrl)).different).toEqual([]);
  });
});
