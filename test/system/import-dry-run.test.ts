import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, inject, it, vi } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { expectProblem } from '../support/api.ts';
import { holdAccount } from '../support/employees.ts';
import { shareStack } from '../support/file-stack.ts';
import { R, records } from '../support/records.ts';
import { startSurveyctl, surveyctlAt, type Finished } from '../support/surveyctl.ts';

const { api, db, stack, operator, importAndWait } = await shareStack();
const surveyctl = surveyctlAt(stack);

async function dryRun({ accountId }: Account, snapshot: unknown, ...more: string[]): Promise<Finished> {
  const body = typeof snapshot === 'string' ? snapshot : JSON.stringify({ employees: snapshot });
  return surveyctl(['import', 'dry-run', '-', '--account', String(accountId), ...more], body);
}

/** A running dry run with its standard error so far. */
function startDryRun({ accountId }: Account, snapshot: unknown): { told: () => string; exitCode: Promise<number | null> } {
  const child = startSurveyctl(stack, ['import', 'dry-run', '-', '--account', String(accountId)]);
  child.stdin.end(JSON.stringify({ employees: snapshot }));
  let told = '';
  child.stderr.on('data', (text: Buffer) => (told += text.toString()));
  child.stdout.resume();
  return { told: () => told, exitCode: once(child, 'close').then(() => child.exitCode) };
}

interface Outcome {
  dry_run?: boolean;
  state: string;
  records: readonly unknown[];
}

async function outcomeOf(account: Account, snapshot: unknown): Promise<Outcome> {
  const { stdout, stderr } = await dryRun(account, snapshot, '--json');
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

const TABLES = [
  'account_state',
  'attribute',
  'attribute_option',
  'employee',
  'employee_block',
  'employee_revision',
  'event_sequence',
  'import',
  'mail',
  'outbox',
  'payload',
  'record_result',
  'offboarding',
  'deferred_fact',
];

/** Returns all rows of import-reconciler for the account, without what it notes by itself. */
async function everything({ accountId }: Account): Promise<Record<string, unknown>> {
  const rowsOf = async (table: string): Promise<unknown> => {
    const { rows } = await db.query<{ rows: unknown }>(
      `select coalesce(jsonb_agg(to_jsonb(t) - '{sent_at,options_checked_at,unused_since}'::text[] order by t::text), '[]') as rows from imports.${table} t where account_id = $1`,
      [accountId],
    );
    return rows[0]?.rows;
  };
  return Object.fromEntries(await Promise.all(TABLES.map(async (table) => [table, await rowsOf(table)])));
}

const sales = { name: 'Department', value: { name: 'Sales' } };
const grants = (value: string) => ({ grants: [{ attribute: { name: 'Department' }, value: { name: value } }] });

/** A snapshot that covers every outcome, reason and warning that is easy to produce. */
const EVERYTHING = [
  R(1),
  R(2, { lastname: 'Changed', attributes: [sales, { name: 'Brand new', value: { name: 'Value' } }] }),
  R(3, { role: 'Boss' }),
  R(4, { email: 'e5@x.io' }),
  R(5, { email: 'e4@x.io' }),
  R(6, { language: 'xx' }),
  R(7, { role: 'Manager', permissions: grants('Nowhere') }),
  R(8, { reports_to_id: 'E1' }),
  R(9, { email: 'not-an-email' }),
  R(20, { role: 'Manager', permissions: grants('Sales'), reports_to_id: 'nobody' }),
  R(21, { reports_to_id: 'E22', attributes: [{ name: 'Age Category', value: { name: '1990' } }] }),
  R(22, { reports_to_id: 'E21' }),
  R(23, { email: 'e1@x.io' }),
];

describe('surveyctl import dry-run', () => {
  it('answers as the import itself does afterwards, and changes nothing [IMPORT-IDENTITY-1, IMPORT-IDENTITY-3, IMPORT-IDENTITY-5, IMPORT-GRANTS-SCOPE-2, IMPORT-SUPERVISORS-2, IMPORT-SUPERVISORS-4, IMPORT-EMAILS-3, IMPORT-EMAILS-4]', async () => {
    const account = await operator.createAccount({ threshold: '50' });
    await importAndWait(account, records(1, 11));
    await importAndWait(account, [...records(1, 8), ...records(10, 11)]);
    await importAndWait(account, [...records(1, 8), ...records(10, 11)]);
    const before = await everything(account);
    const { dry_run, ...tried } = await outcomeOf(account, EVERYTHING);
    expect(await everything(account)).toEqual(before);

    const { importUuid } = await importAndWait(account, EVERYTHING);
    const show = await surveyctl(['import', 'show', importUuid, '--account', String(account.accountId), '--json']);
    const { state, counts, reasons, warnings, records: shown } = JSON.parse(show.stdout);
    expect(tried).toEqual({ state, counts, reasons, warnings, records: shown });
    expect(dry_run).toBe(true);
    expect(counts).toMatchObject({ created: 3, reactivated: 1, skipped: 3, offboarded: 2 });
    expect(JSON.stringify(shown)).toMatch(/cycle/);
  });

  it('tries a first import of an account that never had one [IMPORT-THRESHOLD-4]', async () => {
    const account = await operator.createAccount();
    const { exitCode, stdout } = await dryRun(account, records(1, 2_500), '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ state: 'applied', counts: { created: 2_500 } });
    expect(JSON.parse(stdout).records).toHaveLength(2_500);
    expect(Object.values(await everything(account)).flat()).toEqual([]);
  });

  it('tells every reason of a cancellation with its figures, and exits with 3 [IMPORT-THRESHOLD-3, IMPORT-LIFECYCLE-CANCEL-1]', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, records(1, 10));
    const snapshot = [...records(1, 7), R(30, { import_id: '' }), R(1)];
    const { exitCode, stdout } = await dryRun(account, snapshot, '--json');
    expect(exitCode).toBe(3);
    const { reasons } = await importAndWait(account, snapshot);
    expect(JSON.parse(stdout)).toMatchObject({ state: 'cancelled', reasons, records: [] });
    expect(reasons).toMatchObject([
      { code: 'import_id_blank', count: 1, records: [7] },
      { code: 'import_id_repeated', count: 1, records: [0, 8] },
      { code: 'deletion_threshold', count: 3, managed: 10, threshold: '20' },
    ]);
    const text = await dryRun(account, snapshot);
    expect(text.stdout).toMatch(/would be cancelled: .*Offboarding 3 of 10 managed employees is 30%/);
  });

  it('says where a body is not valid, as the 400 does [IMPORT-REQUEST-SHAPE-2, IMPORT-REQUEST-JSON-1]', async () => {
    const account = await operator.createAccount();
    for (const body of [JSON.stringify({ employees: [R(1, { department: 'x' }), { import_id: 'E2' }] }), '{"employees":[', '']) {
      const { errors } = expectProblem(await api.post('/v1/employees/imports', body, account.writeKey), 400);
      const { exitCode, stdout } = await dryRun(account, body, '--json');
      expect(exitCode).toBe(1);
      expect(JSON.parse(stdout)).toMatchObject({ dry_run: true, state: 'rejected', errors });
      expect((await dryRun(account, body)).stdout).toMatch(/would be rejected/);
    }
    expect(Object.values(await everything(account)).flat()).toEqual([]);
  });

  it('takes a gzip file, by its bytes', async () => {
    const account = await operator.createAccount();
    const file = join(stack.mailDir, 'snapshot.dat');
    await writeFile(file, gzipSync(JSON.stringify({ employees: [R(1, { role: 'Boss' }), R(2)] })));
    const { exitCode, stdout, stderr } = await surveyctl(['import', 'dry-run', file, '--account', String(account.accountId)]);
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/would be applied: 1 created, 1 skipped/),
    });
    expect(stdout).toMatch(/\/employees\/0\/role/);
    expect(stderr).toMatch(/sending and checking/);
  });

  it('is rejected while an import runs [IMPORT-LIFECYCLE-ONE-1]', async () => {
    const account = await operator.createAccount();
    const hold = await holdAccount(db, account.accountId);
    const running = importAndWait(account, [R(1)]);
    await expect.poll(() => isRunning(account)).toBe(true);
    const { exitCode, stderr } = await dryRun(account, [R(1)]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringMatching(/an import of this account is running/) });
    await hold.letGo();
    expect((await running).state).toBe('applied');
  });

  it('prints JSON on failure too when --json is given', async () => {
    const unknown = await surveyctl(['import', 'dry-run', '-', '--account', '999999', '--json'], '{"employees":[]}');
    expect(unknown.exitCode).toBe(1);
    expect(JSON.parse(unknown.stdout)).toEqual({
      dry_run: true,
      state: 'failed',
      detail: expect.stringMatching(/there is no account/),
    });
    const away = ['import', 'dry-run', '-', '--account', '1', '--json', '--address', '127.0.0.1:1'];
    expect(JSON.parse((await surveyctl(away, '{}')).stdout)).toMatchObject({ dry_run: true, state: 'failed' });
  });

  it('runs the dry runs of two accounts at the same time; a second one of an account waits and tells its position', async () => {
    const [slow, other] = [await operator.createAccount(), await operator.createAccount()];
    await importAndWait(slow, records(1, 3));
    const blocker = await db.connect();
    await blocker.query('begin');
    await blocker.query('select from imports.employee where account_id = $1 for update', [slow.accountId]);
    const changed = [R(1, { lastname: 'Changed' }), R(2), R(3)];
    const first = dryRun(slow, changed);
    await expect.poll(() => isWaitingForARow()).toBe(true);
    const second = startDryRun(slow, changed);
    await expect.poll(() => second.told()).toMatch(/waiting for other dry runs position 1/);
    expect(await outcomeOf(other, [R(1)])).toMatchObject({ state: 'applied', counts: { created: 1 } });
    await blocker.query('rollback');
    blocker.release();
    expect((await first).exitCode).toBe(0);
    expect(await second.exitCode).toBe(0);
  });

  it('takes the year of PostgreSQL, as an import does [IMPORT-ATTRIBUTES-YEARS-4]', async () => {
    const account = await operator.createAccount();
    const born = (year: string) => R(1, { attributes: [{ name: 'Age Category', value: { name: year } }] });
    const { rows } = await db.query<{ year: number }>("select extract(year from now() at time zone 'utc')::int as year");
    const young = String((rows[0]?.year ?? 0) - 19);
    await importAndWait(account, [born(young)]);
    // By the clock of the process the employee is 39.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 20 * 365.25 * 86_400_000 });
    try {
      expect(await outcomeOf(account, [born(young)])).toMatchObject({ counts: { unchanged: 1, updated: 0 } });
    } finally {
      vi.useRealTimers();
    }
  });

  it('does not wait long while another transaction changes the employees', async () => {
    const account = await operator.createAccount();
    await using _hold = await holdAccount(db, account.accountId);
    const { exitCode, stderr } = await dryRun(account, [R(1)]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringMatching(/are being changed/) });
  });

  it('is cancelled when an import is accepted meanwhile', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, records(1, 3));
    const blocker = await db.connect();
    await blocker.query('begin');
    // The dry run is paused midway.
    await blocker.query('select from imports.employee where account_id = $1 for update', [account.accountId]);
    const tried = dryRun(account, [R(1, { lastname: 'Changed' }), R(2), R(3)]);
    await expect.poll(() => isWaitingForARow()).toBe(true);
    const imported = importAndWait(account, records(1, 4));
    const { exitCode, stderr } = await tried;
    await blocker.query('rollback');
    blocker.release();
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringMatching(/an import was accepted in the meantime/),
    });
    expect(await imported).toMatchObject({ state: 'applied', counts: { created: 1, unchanged: 3 } });
    expect(await outcomeOf(account, records(1, 4))).toMatchObject({ state: 'applied', counts: { unchanged: 4 } });
  });

  it('is rejected without an integration or an account, and for a snapshot of another account [IMPORT-LIFECYCLE-CANCEL-3, AUTH-TENANCY-1]', async () => {
    const account = await operator.createAccount({ connected: false });
    expect((await dryRun(account, [R(1)])).stderr).toMatch(/not connected/);
    expect((await dryRun({ ...account, accountId: 999_999 }, [R(1)])).stderr).toMatch(/there is no account/);
    const other = await operator.createAccount();
    await importAndWait(other, records(1, 10));
    // Its body is stored because the deletion threshold cancelled it.
    const { importUuid } = await importAndWait(other, [R(1)]);
    await operator.connect(account.accountId);
    const snapshot = { snapshot_uuid: importUuid, content_encoding: 'identity', employees_total: 1 };
    const parts = operator.admin.dryRunImport(
      { account_id: account.accountId, snapshot },
      { caller: { requestId: 'test' }, deadlineMs: 5_000 },
    );
    await expect(parts[Symbol.asyncIterator]().next()).rejects.toThrow(/has been deleted/);
    const { rowCount } = await db.query('select from imports.payload where import_uuid = $1', [importUuid]);
    expect(rowCount).toBe(1);
  });
});

async function isRunning({ accountId }: Account): Promise<boolean> {
  const { rowCount } = await db.query('select from imports.import where account_id = $1 and finished_at is null', [accountId]);
  return rowCount === 1;
}

async function isWaitingForARow(): Promise<boolean> {
  const waiting =
    "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~* 'update imports.employee'";
  const isCluster = inject('postgres').workerUrls !== undefined;
  const { rows } = await db.query<{ count: string }>(
    isCluster ? `select result as count from run_command_on_all_nodes($$${waiting}$$)` : waiting,
  );
  return rows.some(({ count }) => Number(count) === 1);
}
