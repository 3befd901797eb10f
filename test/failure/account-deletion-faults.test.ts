import { connectTool } from '@survey/bus/connection.ts';
import { roleUrl } from '@survey/local/service-environments.ts';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { isDeleted, tablesWithData } from '../support/deleted-account.ts';
import { eventsOf } from '../support/events.ts';
import { startFileStack } from '../support/file-stack.ts';
import { records } from '../support/records.ts';
import { openTextFixture, textResponses } from '../support/text-fixture.ts';
import { FAILPOINT_FAULTS } from './failpoint-faults.ts';
import { FaultyProcess } from './faulty-process.ts';

const files = await startFileStack();
const { api, db, operator, stack } = files;
const { fixture, state, ask, texts } = await openTextFixture(files);
const { services } = stack;
// All services delete their rows with the same code: these two stand for all.
const SERVICES = { 'account-admin': 'survey_admin', 'text-analysis': 'survey_text' } as const;
type Service = keyof typeof SERVICES;
const processes: Record<Service, FaultyProcess> = {
  'account-admin': processOf('account-admin'),
  'text-analysis': processOf('text-analysis'),
};
for (const service of Object.values(processes)) {
  await services[service.service][Symbol.asyncDispose]();
  await service.start();
}
afterAll(() => Promise.all(Object.values(processes).map((each) => each[Symbol.asyncDispose]())));

function processOf(service: Service): FaultyProcess {
  const role = SERVICES[service];
  const environment = {
    DATABASE_URL: roleUrl(stack.databaseUrl, role, inject('postgres').rolePasswords[role]),
    NATS_URL: stack.natsUrl,
    GRPC_LISTEN: services[service].address,
    PROBE_LISTEN: services[service].probeAddress,
    SCORING_ANONYMITY_ADDRESS: services['scoring-anonymity'].address,
    IMPORT_RECONCILER_ADDRESS: services['import-reconciler'].address,
    TEXT_ANALYSIS_ADDRESS: services['text-analysis'].address,
    LOG_LEVEL: 'silent',
  };
  return new FaultyProcess({ service, environment });
}

const FAILPOINTS: readonly (readonly [Service, string])[] = [
  ['account-admin', 'deletion.closed'],
  ['text-analysis', 'deletion.batch'],
  ['text-analysis', 'deletion.schema_empty'],
  ['text-analysis', 'deletion.schema_finished'],
  ['account-admin', 'deletion.batch'],
  ['account-admin', 'deletion.purged'],
  ['account-admin', 'deletion.finished'],
];
const CALL = { caller: { requestId: 'test' }, deadlineMs: 10_000 };
// Nothing is in a transaction at a failpoint, so lost connections have no effect.
const FAULTS = FAILPOINT_FAULTS.filter(({ name }) => name !== 'cut');
const CASES = FAILPOINTS.flatMap(([service, failpoint]) => FAULTS.map((fault) => ({ service, failpoint, fault })));

async function accountWithData(): Promise<Account> {
  const account = await fixture();
  await state(account, 'response', ...textResponses(4));
  return account;
}

const readAll = async (account: Account): Promise<string> => {
  const lists = ['surveys', 'questions', 'employees', 'attributes'].map((path) => api.get(`/v1/${path}`, account.readKey));
  return JSON.stringify((await Promise.all([...lists, ask(account)])).map(({ body }) => body));
};

async function deleteAccount({ accountId: account_id }: Account): Promise<void> {
  const { rows } = await db.query<{ name: string }>('select name from admin.account where account_id = $1', [account_id]);
  const request = { account_id, name: rows[0]?.name ?? '', after_seconds: 0, force: true };
  await operator.admin.deleteAccount(request, CALL);
}

let staying: Account;
let before = '';
beforeAll(async () => {
  staying = await accountWithData();
  await files.importAndWait(staying, records(1, 3));
  await vi.waitUntil(async () => (await texts(staying)).length === 4, { timeout: 30_000 });
  before = await readAll(staying);
});

it.each(CASES)(
  'deletes the account completely when $service meets the fault $fault.name at $failpoint [DATA-DELETION-1]',
  { timeout: 60_000 },
  async ({ service, failpoint, fault }) => {
    // The client connects again with a delay after a restart.
    const isUp = () => operator.admin.listAccounts({}, CALL).then(Boolean, () => false);
    await expect.poll(isUp).toBe(true);
    const leaving = await accountWithData();
    const hit = processes[service];
    const stopped = hit.waitUntilStoppedAt(failpoint, AbortSignal.timeout(30_000));
    await deleteAccount(leaving);
    let isStopped = false;
    void stopped.then(() => (isStopped = true));
    await expect.poll(async () => (await isDeleted(db, leaving.accountId)) || isStopped).toBe(true);
    await stopped;
    await fault.begin(hit, db);
    await fault.end(hit);
    hit.release();
    await expect.poll(() => isDeleted(db, leaving.accountId)).toBe(true);
    expect(await tablesWithData(db, leaving.accountId)).toEqual([]);
    expect((await api.get('/v1/employees', leaving.readKey)).status).toBe(401);
    expect(await readAll(staying)).toBe(before);
    await using bus = await connectTool(stack.natsUrl, 'test');
    const events = (await eventsOf(db, bus.bus, leaving.accountId)).map(({ what }) => what);
    expect(events.filter((what) => what.startsWith('account.'))).toEqual(['account.closed', 'account.deleted']);
  },
);
