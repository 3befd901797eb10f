import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectTool } from '@survey/bus/connection.ts';
import type { EmployeeEdit, Fact } from '@survey/proto/intake/v1/intake.ts';
import { describe, expect, it, vi } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { holdAccount } from '../support/employees.ts';
import { employeesIn, eventsOf } from '../support/events.ts';
import { assignment, initiative, openIntake, question, response, survey, uuidOf } from '../support/facts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { R, records } from '../support/records.ts';
import { optionId } from '../support/scales.ts';
import { STARS } from '../support/score-fixture.ts';
import { surveyctlAt } from '../support/surveyctl.ts';

// Employees who get other import_ids (docs/rules/import-identity.md): from a new HR system, or
// because the import takes over employees that came from files.
const file = await startFileStack();
const { api, db, operator, stack, importAndWait, listEmployees } = file;
const { publishFacts } = await openIntake(stack);
const surveyctl = surveyctlAt(stack);
const folder = await mkdtemp(join(tmpdir(), 'rekey-'));

interface Rekeyed {
  readonly exitCode: number | null;
  readonly stderr: string;
  // The path of the undo map, once a map is applied.
  readonly undo: string;
  readonly outcome: {
    readonly applied: boolean;
    readonly changed: number;
    readonly refusals: readonly { readonly line: number; readonly code: string; readonly about: number | null }[];
    readonly refusals_total: number;
  };
}

let maps = 0;

async function rekey({ accountId }: Account, lines: readonly string[] | string, ...args: string[]): Promise<Rekeyed> {
  const map = typeof lines === 'string' ? lines : join(folder, `map-${maps++}.csv`);
  if (typeof lines !== 'string') await writeFile(map, `${lines.join('\n')}\n`);
  const reason = args.includes('--dry-run') ? [] : ['--reason', 'new HR system'];
  const command = ['employee', 'rekey', '--account', String(accountId), map, '--json', ...reason, ...args];
  const { exitCode, stdout, stderr } = await surveyctl(command);
  return { exitCode, stderr, undo: map.replace('.csv', '.undo.csv'), outcome: stdout === '' ? undefined : JSON.parse(stdout) };
}

// Employees of the largest re-key.
const MANY = Number(process.env['REKEYED_EMPLOYEES'] ?? 1_000);

const HEAD = 'old_import_id,new_import_id';

/** Returns the lines of a map from E<n> to N<n>. */
const toNew = (from: number, to: number): string[] => [
  HEAD,
  ...Array.from({ length: to - from + 1 }, (_, n) => `E${from + n},N${from + n}`),
];

/** Returns the record of E<n> as the new HR system sends it. */
const renamed = (record: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const newId = (id: unknown): unknown => (typeof id === 'string' ? id.replace(/^E/, 'N') : id);
  const supervisor = record['reports_to_id'];
  return {
    ...record,
    import_id: newId(record['import_id']),
    ...(supervisor !== undefined && { reports_to_id: newId(supervisor) }),
  };
};

const importIdsOf = async (account: Account): Promise<(string | null)[]> =>
  (await listEmployees(account)).employees.map(({ import_id }) => import_id);

const edit = (importId: string, more: Partial<EmployeeEdit>, revision = 1): Fact => ({
  revision,
  line: 0,
  employee_edit: { employee: { import_id: importId }, attributes: [], cleared: [], ...more },
});

const department = (n: number) => ({ attributes: [{ name: 'Department', value: { name: `D${n % 7}` } }] });
const GRANTED = {
  role: 'Manager',
  permissions: { grants: [{ attribute: { name: 'Department' }, value: { name: 'D3' } }] },
};

describe('another HR system', () => {
  it(
    `changes nothing but the import_ids of ${MANY} employees, and the next import none at all [IMPORT-IDENTITY-16]`,
    { timeout: 120_000 },
    async () => {
      const account = await operator.createAccount();
      const { accountId } = account;
      const employees = records(1, MANY).map((record, n) => ({
        ...record,
        ...department(n),
        ...(n > 0 && { reports_to_id: `E${Math.ceil(n / 10)}` }),
        ...(n < 50 && GRANTED),
      }));
      await importAndWait(account, employees);
      const [first, second] = (await listEmployees(account)).employees;
      await publishFacts(accountId, 'survey', [
        survey(1, {
          text_threshold: 3,
          score_threshold: 5,
          employees_with_access_to_results: [{ import_id: 'E2' }, { id: first?.id ?? 0 }],
        }),
      ]);
      await publishFacts(accountId, 'question', [question(11, STARS), question(15)]);
      const answered = Array.from({ length: 40 }, (_, n) =>
        response(uuidOf(n + 1), {
          employee: { import_id: `E${n + 1}` },
          answers: [
            { question_id: 11, option_ids: [optionId(11, 1 + (n % 5))], text: null },
            { question_id: 15, option_ids: [], text: `Text ${n} about the canteen.` },
          ],
        }),
      );
      await publishFacts(accountId, 'response', answered, { addRespondents: false });
      await publishFacts(accountId, 'assignment', [assignment(1, { employee: { import_id: 'E3' } })]);
      await publishFacts(accountId, 'initiative', [
        initiative(uuidOf(50), { creator: { import_id: 'E1' }, assignee: { import_id: 'E2' } }),
      ]);
      const call = { caller: { requestId: 'test' }, deadlineMs: MANY };
      await operator.admin.setSettings({ account_id: accountId, masking_categories: null }, call);
      const textsOf = async (): Promise<unknown> =>
        Object((await api.get('/v1/text_responses', account.readKey)).body).total_count;
      await expect.poll(textsOf, { timeout: 30_000 }).toBe(40);
      const before = await everythingOf(account);
      const listVersion = await listVersionOf(account);

      const map = toNew(1, MANY);
      const dryRun = await rekey(account, map, '--dry-run');
      expect(dryRun).toMatchObject({ exitCode: 0, outcome: { applied: false, changed: MANY } });
      expect(await everythingOf(account)).toEqual(before);
      const applied = await rekey(account, map);
      expect(applied).toMatchObject({ exitCode: 0, outcome: { applied: true, changed: MANY, refusals_total: 0 } });

      const after = await everythingOf(account);
      expect(after).toEqual({ ...before, importIds: before.importIds.map((id) => id?.replace(/^E/, 'N')) });
      expect(await listVersionOf(account)).not.toEqual(listVersion);
      const { bus, ...connection } = await connectTool(stack.natsUrl, 'test');
      const updates = (await eventsOf(db, bus, accountId)).filter(({ what }) => what === 'employee.updated').flatMap(employeesIn);
      await connection[Symbol.asyncDispose]();
      expect(updates).toHaveLength(MANY);
      expect(updates).toContainEqual({ id: second?.id, changed_fields: ['import_id'] });

      const counts = { created: 0, updated: 0, unchanged: MANY, reactivated: 0, skipped: 0, offboarded: 0 };
      expect(await importAndWait(account, employees.map(renamed))).toMatchObject({ state: 'applied', counts });
      expect(await everythingOf(account)).toEqual(after);
      expect(await importAndWait(account, employees.map(renamed))).toMatchObject({ state: 'applied', counts });

      expect(await rekey(account, applied.undo)).toMatchObject({ exitCode: 0, outcome: { changed: MANY } });
      expect(await everythingOf(account)).toEqual(before);
      expect(await importAndWait(account, employees)).toMatchObject({ state: 'applied', counts });
    },
  );

  it('rejects the old snapshot by the deletion threshold, and may keep some ids', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, records(1, 4));
    expect((await rekey(account, [HEAD, 'E1,N1', 'E2,N2', 'E3,N3', 'E4,E4'])).outcome).toMatchObject({ changed: 3 });
    expect(await importAndWait(account, records(1, 4))).toMatchObject({ state: 'cancelled' });
    expect(await importAndWait(account, [...records(1, 3).map(renamed), R(4)])).toMatchObject({ counts: { unchanged: 4 } });
  });

  it('reads records again whose supervisor has another import_id now [IMPORT-SUPERVISORS-1]', async () => {
    const account = await operator.createAccount();
    const [boss, report] = [R(1), R(2, { reports_to_id: 'E1' })];
    await importAndWait(account, [boss, report]);
    await rekey(account, toNew(1, 1));
    expect(await importAndWait(account, [renamed(boss), report])).toMatchObject({
      counts: { updated: 1, unchanged: 1 },
      records: [{ warnings: [{ code: 'supervisor_unknown' }] }],
    });
    const corrected = { ...report, reports_to_id: 'N1' };
    expect(await importAndWait(account, [renamed(boss), corrected])).toMatchObject({ counts: { updated: 1, unchanged: 1 } });
  });

  it('swaps, rotates and chains import_ids', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, records(1, 6));
    const before = (await listEmployees(account)).employees;
    const map = [HEAD, 'E1,E2', 'E2,E1', 'E3,E4', 'E4,E5', 'E5,E3', 'E6,E7'];
    const applied = await rekey(account, map);
    expect(applied.outcome).toMatchObject({ changed: 6, reused: 5 });
    const swapped = ['E2', 'E1', 'E4', 'E5', 'E3', 'E7'];
    expect((await listEmployees(account)).employees).toEqual(before.map((one, n) => ({ ...one, import_id: swapped[n] })));
    const snapshot = before.map((_, n) => R(n + 1, { import_id: swapped[n] }));
    expect(await importAndWait(account, snapshot)).toMatchObject({ counts: { unchanged: 6 } });
    await rekey(account, applied.undo);
    expect((await listEmployees(account)).employees).toEqual(before);
  });

  it('also changes offboarded employees, who return under the new import_id', async () => {
    const account = await operator.createAccount({ threshold: '100' });
    await importAndWait(account, records(1, 2));
    await importAndWait(account, records(1, 1));
    await rekey(account, toNew(1, 2));
    expect(await importAndWait(account, records(1, 2).map(renamed))).toMatchObject({
      counts: { created: 0, reactivated: 1, unchanged: 1 },
    });
  });

  it('no longer overrides the threshold for a snapshot with the old import_ids', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, records(1, 4));
    const cancelled = await importAndWait(account, records(1, 1));
    expect(cancelled).toMatchObject({ state: 'cancelled' });
    await rekey(account, toNew(1, 4));
    const { rows } = await db.query<{ import_uuid: string }>(
      `select import_uuid from imports.import where account_id = $1 and state = 'cancelled'`,
      [account.accountId],
    );
    const allowed = await surveyctl([
      'import',
      'allow-deletes',
      rows[0]?.import_uuid ?? '',
      '--account',
      String(account.accountId),
    ]);
    expect(allowed).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('send it again') });
  });
});

describe('employees from files', () => {
  const fromFile = (id: number, revision = 1, more: object = {}): Fact => ({
    revision,
    line: id,
    employee: {
      id,
      email: `e${id}@x.io`,
      firstname: `F${id}`,
      lastname: `L${id}`,
      is_deleted: false,
      created_via: 'file',
      attributes: [],
      ...more,
    },
  });

  it('come under the care of the import, whose first snapshot takes no address [IMPORT-IDENTITY-16]', async () => {
    const account = await operator.createAccount({ threshold: '100' });
    const { accountId } = account;
    await publishFacts(accountId, 'employee', [fromFile(1, 1, { import_id: 'X1' }), fromFile(2), fromFile(3)]);
    const before = (await listEmployees(account)).employees;
    const map = ['email;new_import_id', 'E1@x.io;N1', 'e2@x.io;N2', 'e3@x.io;N3'];
    const applied = await rekey(account, map);
    expect(applied).toMatchObject({ exitCode: 0, outcome: { changed: 3 } });
    const outcome = await importAndWait(account, records(1, 3).map(renamed));
    expect(outcome).toMatchObject({ counts: { created: 0, skipped: 0, offboarded: 0 } });
    expect((await listEmployees(account)).employees).toMatchObject(before.map(({ id }, n) => ({ id, import_id: `N${n + 1}` })));
    // The application goes on stating them as it knows them.
    await publishFacts(accountId, 'employee', [fromFile(1, 2, { import_id: 'X1', role: 'Coach' })]);
    expect((await listEmployees(account)).employees[0]).toMatchObject({ import_id: 'N1', role: 'Coach' });
    expect((await rekey(account, applied.undo)).outcome).toMatchObject({ changed: 3, undo: null });
    expect(await importIdsOf(account)).toEqual(['X1', null, null]);
    expect((await rekey(account, map, '--undo', join(folder, 'again.csv'))).outcome).toMatchObject({ changed: 3 });
  });

  it('are refused when nobody active has the address, or the import has them already', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, records(1, 1));
    await publishFacts(account.accountId, 'employee', [fromFile(2, 1, { is_deleted: true })]);
    const { exitCode, outcome } = await rekey(
      account,
      ['email,new_import_id', 'e1@x.io,N1', 'e2@x.io,N2', 'nobody,N3'],
      '--dry-run',
    );
    expect(exitCode).toBe(1);
    expect(outcome.refusals).toMatchObject([
      { line: 2, code: 'already_imported' },
      { line: 3, code: 'email_unknown' },
      { line: 4, code: 'email_unknown' },
    ]);
  });
});

describe('a map is refused as a whole', () => {
  it('with the line and reason of every fault', async () => {
    const account = await operator.createAccount({ threshold: '100' });
    await importAndWait(account, records(1, 6));
    await importAndWait(account, records(1, 5));
    const { employees } = await listEmployees(account);
    const map = [
      HEAD,
      'E1,E5', // taken
      'E2,E6', // taken by an offboarded employee
      'E3,N1',
      'E3,N2', // repeated
      'E4,N1', // the same new import_id
      'E9,N9', // unknown
      'e1,N3', // exactly as it is sent in snapshots
      ',N4',
      'E4,\u{200B}',
      `E4,${'x'.repeat(256)}`,
    ];
    const { exitCode, outcome } = await rekey(account, map);
    expect(exitCode).toBe(1);
    expect(outcome.refusals.map(({ line, code, about }) => [line, code, about])).toEqual([
      [2, 'new_id_taken', employees[4]?.id],
      [3, 'new_id_taken', employees[5]?.id],
      [5, 'key_repeated', 4],
      [6, 'new_id_repeated', 4],
      [7, 'old_id_unknown', null],
      [8, 'old_id_unknown', null],
      [9, 'key_blank', null],
      [10, 'new_id_blank', null],
      [10, 'key_repeated', 6],
      [11, 'new_id_too_long', null],
      [11, 'key_repeated', 6],
    ]);
    expect(await importIdsOf(account)).toEqual(['E1', 'E2', 'E3', 'E4', 'E5', 'E6']);
  });

  it('with the first 1,000 of any number of faults', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, records(1, 1));
    const { outcome } = await rekey(account, toNew(2, 3_000));
    expect(outcome).toMatchObject({ applied: false, refusals_total: 2_999 });
    expect(outcome.refusals).toHaveLength(1_000);
  });

  it('without a reason', async () => {
    const account = await operator.createAccount();
    const finished = await surveyctl(['employee', 'rekey', '--account', String(account.accountId), 'map.csv']);
    expect(finished).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--reason is required') });
  });

  it('while other changes of employees are being made, and leaves no undo map behind', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, records(1, 1));
    await using _held = await holdAccount(db, account.accountId);
    expect(await rekey(account, toNew(1, 1))).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('retry later') });
    expect(await importIdsOf(account)).toEqual(['E1']);
  });

  it('while an import is running', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, records(1, 1));
    const hold = await holdAccount(db, account.accountId);
    const running = importAndWait(account, records(1, 2));
    const isRunning = async (): Promise<boolean> => {
      const { rowCount } = await db.query('select from imports.import where account_id = $1 and finished_at is null', [
        account.accountId,
      ]);
      return rowCount === 1;
    };
    await expect.poll(isRunning).toBe(true);
    const refused = await rekey(account, toNew(1, 1));
    await hold.letGo();
    await running;
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('an import of this account is running') });
  });

  it('when its rows stop arriving, so that it does not hold up others', async () => {
    const { accountId } = await operator.createAccount();
    async function* stalled() {
      yield { head: { account_id: accountId, by_email: false, dry_run: true, expected_plan: Buffer.alloc(0), rows: 1 } };
      await new Promise(() => {});
    }
    const options = { caller: { requestId: 'test' }, deadlineMs: 60_000 };
    await expect(operator.admin.rekeyEmployees(stalled(), options)).rejects.toThrow('no rows of the map arrived for 10 s');
  });

  it('when it undoes another whose employees have changed since', async () => {
    const account = await operator.createAccount({ threshold: '100' });
    await importAndWait(account, records(1, 2));
    const { undo } = await rekey(account, toNew(1, 2));
    await rekey(account, [HEAD, 'N1,N2', 'N2,N1']);
    expect((await rekey(account, undo)).outcome.refusals).toMatchObject([
      { line: 2, code: 'employee_changed' },
      { line: 3, code: 'employee_changed' },
    ]);
  });

  it('when a new import_id belonged to an erased employee', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, records(1, 2));
    await surveyctl(['employee', 'erase', '--account', String(account.accountId), '--import-id', 'E2']);
    expect((await rekey(account, [HEAD, 'E1,E2'])).outcome.refusals).toMatchObject([{ line: 2, code: 'new_id_erased' }]);
  });
});

it('keeps imports from beginning until the import_ids are changed', async () => {
  const account = await operator.createAccount();
  await importAndWait(account, records(1, 1));
  const writer = await db.connect();
  await writer.query('begin');
  await writer.query(`select pg_advisory_xact_lock(hashtextextended('export.assignment', $1::bigint))`, [account.accountId]);
  const rekeyed = rekey(account, toNew(1, 1));
  const isLocked = `select from pg_locks where locktype = 'advisory' and not granted`;
  await expect.poll(async () => (await db.query(isLocked)).rowCount).toBeGreaterThan(0);
  const answer = await api.post('/v1/employees/imports', { employees: records(1, 1) }, account.writeKey);
  await writer.query('commit').finally(() => writer.release());
  expect(answer.status).toBe(409);
  expect((await rekeyed).outcome).toMatchObject({ applied: true, changed: 1 });
});

it('records the actor, the reason and the number of rows, and no employee', async () => {
  const account = await operator.createAccount();
  await importAndWait(account, records(1, 1));
  await rekey(account, toNew(1, 1));
  const { rows } = await db.query(
    `select action, reason, outcome, after from admin.audit where account_id = $1 and action = 'employee.rekey' order by id`,
    [account.accountId],
  );
  const after = { rows: 1, keys: 'old_import_id' };
  expect(rows).toEqual([
    { action: 'employee.rekey', reason: 'new HR system', outcome: 'done', after: { ...after, dry_run: true } },
    { action: 'employee.rekey', reason: 'new HR system', outcome: 'done', after: { ...after, dry_run: false } },
  ]);
});

describe('facts that name an old import_id [IMPORT-IDENTITY-17]', () => {
  it('find the employee for 30 days', async () => {
    const account = await operator.createAccount();
    const { accountId } = account;
    await importAndWait(account, records(1, 3));
    const [one, two] = (await listEmployees(account)).employees;
    await rekey(account, toNew(1, 3));
    await publishFacts(accountId, 'survey', [survey(1, { employees_with_access_to_results: [{ import_id: 'E2' }] })]);
    await publishFacts(accountId, 'initiative', [
      initiative(uuidOf(50), { creator: { import_id: 'E1' }, assignee: { import_id: 'E2' } }),
    ]);
    await publishFacts(accountId, 'assignment', [assignment(1, { employee: { import_id: 'E1' } })]);
    await publishFacts(accountId, 'employee', [
      edit('E1', { role: 'Coach', supervisor: { import_id: 'E2' } }),
      edit('E3', { lastname: 'Married' }),
    ]);
    expect((await listEmployees(account)).employees).toMatchObject([{ role: 'Coach' }, {}, { lastname: 'Married' }]);
    const { rows } = await db.query('select supervisor_id::integer from imports.employee where account_id = $1 and id = $2', [
      accountId,
      one?.id,
    ]);
    expect(rows).toEqual([{ supervisor_id: two?.id }]);
    const bodyOf = async (path: string): Promise<unknown> => (await api.get(path, account.readKey)).body;
    expect(await bodyOf('/v1/surveys')).toMatchObject({
      surveys: [{ permissions: { employees_with_access_to_results: [two?.id] } }],
    });
    expect(await bodyOf('/v1/survey_assignments')).toMatchObject({ survey_assignments: [{ employee_id: one?.id }] });
    expect(JSON.stringify(await bodyOf('/v1/initiatives'))).toContain(String(one?.id));

    await db.query(`update imports.former_import_id set ends_at = now() where account_id = $1`, [accountId]);
    await publishFacts(accountId, 'employee', [edit('E3', { lastname: 'Later' }, 2)]);
    expect((await listEmployees(account)).employees[2]).toMatchObject({ lastname: 'Married' });
  });

  it('mean the employee who has it now', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, records(1, 2));
    await rekey(account, [HEAD, 'E1,N1', 'E2,E1']);
    await publishFacts(account.accountId, 'employee', [edit('E1', { role: 'Coach' })]);
    expect((await listEmployees(account)).employees).toMatchObject([{ role: 'Respondee' }, { role: 'Coach' }]);
  });

  it('are dead letters once the employee is erased, and the old import_id is not readable', async () => {
    const account = await operator.createAccount();
    const { accountId } = account;
    await importAndWait(account, records(1, 3));
    await publishFacts(accountId, 'survey', [survey(1)]);
    await rekey(account, [HEAD, 'E1,N1', 'E2,N2', 'E3,N3']);
    await surveyctl(['employee', 'erase', '--account', String(accountId), '--import-id', 'N1']);
    await publishFacts(accountId, 'response', [response(uuidOf(1), { employee: { import_id: 'E1' } })], {
      addRespondents: false,
    });
    const { rows } = await db.query('select reason from scoring.dead_letter where account_id = $1', [accountId]);
    expect(rows).toEqual([{ reason: 'employee_erased' }]);
    const { rows: results } = await db.query('select import_id from imports.record_result where account_id = $1 order by 1', [
      accountId,
    ]);
    expect(results).toEqual([{ import_id: 'N2' }, { import_id: 'N3' }]);
  });
});

interface Everything {
  readonly importIds: (string | null)[];
  readonly rest: unknown;
}

/** Returns what the API and the database say of an account, apart from hashes of records. */
async function everythingOf(account: Account): Promise<Everything> {
  const { accountId, readKey } = account;
  const { rows } = await db.query<{ import_id: string | null }>(
    `select to_jsonb(e) - '{content_hash}'::text[] as employee, import_id from imports.employee e where account_id = $1 order by id`,
    [accountId],
  );
  const period = 'period_from=2020-01-01T00:00:00Z&period_to=2030-01-01T00:00:00Z';
  const paths = [`scores?question_ids=11&${period}`, 'text_responses?limit=100', 'surveys', 'survey_assignments', 'initiatives'];
  const answers: unknown[] = [];
  for (const path of paths)
    // A loaded machine may answer 503.
    answers.push(
      await vi.waitFor(
        async () => {
          const { status, body } = await api.get(`/v1/${path}`, readKey);
          expect(status).toBe(200);
          return body;
        },
        { timeout: 30_000, interval: 500 },
      ),
    );
  const employees = rows.map((row) => ({ ...Object(row)['employee'], import_id: null }));
  return { importIds: rows.map(({ import_id }) => import_id), rest: { employees, answers } };
}

/** Returns the version from which the ETag of the list of employees is made. */
async function listVersionOf({ accountId }: Account): Promise<unknown> {
  const { rows } = await db.query('select employees_version from imports.account_state where account_id = $1', [accountId]);
  return rows[0];
}

it('writes an undo map that names each employee, readable by this user only', async () => {
  const account = await operator.createAccount();
  await importAndWait(account, records(1, 1));
  const [employee] = (await listEmployees(account)).employees;
  const { undo } = await rekey(account, [HEAD, 'E1,"a, ""b"""']);
  expect(await readFile(undo, 'utf8')).toBe(
    `old_import_id,new_import_id,employee_id,created_via\n"a, ""b""",E1,${employee?.id},import_api\n`,
  );
});
