import { roleUrl } from '@survey/local/service-environments.ts';
import { afterAll, afterEach, expect, inject, it } from 'vitest';
import { startFileStack } from '../support/file-stack.ts';
import { acceptedWhenStarted } from '../support/worker-process.ts';
import { records } from '../support/records.ts';
import { openTextFixture, textResponse } from '../support/text-fixture.ts';
import { FAILPOINT_FAULTS } from './failpoint-faults.ts';
import { FaultyProcess } from './faulty-process.ts';

const files = await startFileStack();
const { api, db, operator, stack, listEmployees } = files;
const { fixture, state, texts } = await openTextFixture(files);
// The other services erase in one transaction with the same code.
const ROLES = { 'import-reconciler': 'survey_imports', 'text-analysis': 'survey_text' } as const;
type Service = keyof typeof ROLES;
const processes: Record<Service, FaultyProcess> = {
  'import-reconciler': processOf('import-reconciler'),
  'text-analysis': processOf('text-analysis'),
};
for (const process of Object.values(processes)) {
  await stack.services[process.service][Symbol.asyncDispose]();
  await process.start();
}
afterAll(() => Promise.all(Object.values(processes).map((each) => each[Symbol.asyncDispose]())));
// A failed case must not leave a stopped process to the next one.
afterEach(() => {
  for (const process of Object.values(processes)) {
    process.release();
    process.resume();
  }
});

function processOf(service: Service): FaultyProcess {
  const { services } = stack;
  const environment = {
    DATABASE_URL: roleUrl(stack.databaseUrl, ROLES[service], inject('postgres').rolePasswords[ROLES[service]]),
    NATS_URL: stack.natsUrl,
    GRPC_LISTEN: services[service].address,
    PROBE_LISTEN: services[service].probeAddress,
    SCORING_ANONYMITY_ADDRESS: services['scoring-anonymity'].address,
    MAIL_DIR: stack.mailDir,
    LOG_LEVEL: 'silent',
  };
  return new FaultyProcess({ service, environment });
}

const FAILPOINTS: readonly (readonly [Service, string])[] = [
  ['import-reconciler', 'erase.employee_changed'],
  ['import-reconciler', 'erase.employee_emptied'],
  ['import-reconciler', 'erase.results_deleted'],
  ['text-analysis', 'erase.texts_unlinked'],
  ['text-analysis', 'erase.texts_masked'],
];
const CASES = FAILPOINTS.flatMap(([service, failpoint]) => FAILPOINT_FAULTS.map((fault) => ({ service, failpoint, fault })));
const SNAPSHOT = [
  { import_id: 'P1', email: 'vandersloot@x.io', firstname: 'Quintessa', lastname: 'Vandersloot' },
  ...records(2, 4),
];
const OPTIONS = { caller: { requestId: 'test' }, deadlineMs: 10_000 };

it.each(CASES)(
  'erases the employee completely when $service meets the fault $fault.name at $failpoint [DATA-ERASURE-1]',
  { timeout: 120_000 },
  async ({ service, failpoint, fault }) => {
    const account = await fixture();
    const { accountId: account_id } = account;
    // A process that was killed in the previous case may still be starting.
    const post = () => api.post('/v1/employees/imports', { employees: SNAPSHOT }, account.writeKey);
    await operator.importEnded(account_id, await acceptedWhenStarted(post));
    const { employees } = await listEmployees(account);
    const responses = employees.map(({ id }, n) =>
      textResponse({ n, person: id, texts: { 15: `Ask Quintessa Vandersloot, ${n}` } }),
    );
    await state(account, 'response', ...responses);
    const hit = processes[service];
    const stopped = hit.waitUntilStoppedAt(failpoint, AbortSignal.timeout(30_000));
    const employee = { employee_id: null, import_id: 'P1', email: null };
    const { employee_id } = await operator.admin.eraseEmployee(
      { account_id, employee, dry_run: false, may_return: false },
      OPTIONS,
    );
    await stopped;
    await fault.begin(hit, db);
    await fault.end(hit);
    hit.release();
    const stateOf = async () => (await operator.admin.showEmployeeErasure({ account_id, employee_id }, OPTIONS)).state;
    await expect.poll(stateOf).toBe('finished');
    // Until the gateway has noticed that the process is back.
    await expect.poll(() => texts(account)).toEqual([0, 1, 2, 3].map((n) => `Ask [NAME], ${n}`));
    const rest = (await listEmployees(account)).employees;
    expect(rest.map(({ lastname }) => lastname)).toEqual([null, 'L2', 'L3', 'L4']);
    const audited = await db.query(`select from admin.audit where account_id = $1 and action = 'employee.erased'`, [account_id]);
    expect(audited.rowCount).toBe(1);
  },
);
