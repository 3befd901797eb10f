import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectTool } from '@survey/bus/connection.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { holdAccount } from '../support/employees.ts';
import { eventsOf } from '../support/events.ts';
import { assignment, initiative, openIntake, question, response, survey, uuidOf } from '../support/facts.ts';
import { startFileStack, type Employee } from '../support/file-stack.ts';
import { R } from '../support/records.ts';
import { optionId } from '../support/scales.ts';
import { STARS } from '../support/score-fixture.ts';
import { surveyctlAt } from '../support/surveyctl.ts';

const file = await startFileStack();
const { api, db, operator, stack } = file;
const intake = await openIntake(stack);
const surveyctl = surveyctlAt(stack);

const JANA = {
  import_id: 'P-7731',
  email: 'Jana.Kowalczyk@example.org',
  firstname: 'Jana',
  lastname: 'Kowalczyk',
  attributes: [
    { name: 'Site', value: { name: 'Hamburg' } },
    { name: 'Locker', value: { name: 'Kowalczyk 12' } },
  ],
};
const COLLEAGUES = [2, 3, 4, 5].map((n) =>
  R(n, { attributes: [{ name: 'Site', value: { name: 'Hamburg' } }], reports_to_id: JANA.import_id }),
);
const TEXTS = [
  'The canteen is fine.',
  'Ask Jana Kowalczyk about it.',
  'Peter Miller helps.',
  'Quiet rooms, please.',
  'More light.',
];

interface Person {
  readonly account: Account;
  readonly id: number;
  readonly employees: readonly Employee[];
}

/** Returns an account in which five employees answered; the first is Jana, the second names her. */
async function accountOfJana(changes: { readonly erased_answers?: string } = {}): Promise<Person> {
  const account = await operator.createAccount();
  const { accountId } = account;
  await file.importAndWait(account, [JANA, ...COLLEAGUES]);
  const { employees } = await file.listEmployees(account);
  const id = employees.find(({ import_id }) => import_id === JANA.import_id)?.id ?? 0;
  await operator.admin.setSettings(
    { account_id: accountId, masking_categories: null, ...changes },
    { caller: { requestId: 'test' }, deadlineMs: 10_000 },
  );
  await intake.publishFacts(accountId, 'survey', [survey(1, { text_threshold: 3, score_threshold: 5 })]);
  await intake.publishFacts(accountId, 'question', [question(11, STARS), question(15)]);
  const responses = employees.map((employee, n) => answersOf(employee.id, n, TEXTS[n] ?? ''));
  await intake.publishFacts(accountId, 'response', responses, { addRespondents: false });
  await intake.publishFacts(accountId, 'assignment', [
    assignment(1, { employee: { id } }),
    assignment(2, { employee: { id: employees[1]?.id ?? 0 } }),
  ]);
  await intake.publishFacts(accountId, 'initiative', [
    initiative(uuidOf(50), { creator: { import_id: JANA.import_id }, assignee: { id } }),
  ]);
  return { account, id, employees };
}

const answersOf = (employeeId: number, n: number, text: string) =>
  response(uuidOf(n + 1), {
    employee: { id: employeeId },
    answers: [
      { question_id: 11, option_ids: [optionId(11, 1 + (n % 5))], text: null },
      { question_id: 15, option_ids: [], text },
    ],
  });

const erase = async ({ account }: Person, ...args: string[]) => {
  const finished = await surveyctl(['employee', 'erase', '--account', String(account.accountId), '--json', ...args]);
  return { ...finished, erasure: finished.exitCode === 0 ? JSON.parse(finished.stdout) : undefined };
};

async function readAnswers({ account }: Person): Promise<{ readonly score: unknown; readonly texts: string[] }> {
  const period = 'period_from=2020-01-01T00:00:00Z&period_to=2030-01-01T00:00:00Z';
  const score = await api.get(`/v1/scores?question_ids=11&${period}`, account.readKey);
  const texts = await api.get('/v1/text_responses?limit=100', account.readKey);
  const responses: { readonly text: string }[] = Object(texts.body).responses;
  return { score: score.body, texts: responses.map(({ text }) => text).sort() };
}

async function columnsWith(accountId: number, word: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select attrelid::regclass::text as name from pg_attribute join pg_class c on c.oid = attrelid
     where attname = 'account_id' and not attisdropped and c.relkind in ('r', 'p') order by 1`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const { rowCount } = await db.query(
      `select from ${name} t where account_id = $1 and to_jsonb(t)::text ilike '%' || $2 || '%'`,
      [accountId, word],
    );
    if (rowCount !== 0) found.push(name);
  }
  return found;
}

const auditedActions = async ({ account }: Person): Promise<string[]> =>
  (
    await db.query<{ action: string }>(
      `select action from admin.audit where account_id = $1 and action like 'employee.%' order by id`,
      [account.accountId],
    )
  ).rows.map(({ action }) => action);

it('erases one employee and keeps all counts and scores [DATA-ERASURE-1] [DATA-ERASURE-2]', async () => {
  const jana = await accountOfJana();
  const { accountId } = jana.account;
  const inviteJana = { account_id: accountId, email: JANA.email };
  await operator.admin.inviteAdmin(inviteJana, { caller: { requestId: 'test' }, deadlineMs: 10_000 });
  const before = await readAnswers(jana);
  expect(before.texts).toEqual([...TEXTS].sort());
  expect(await columnsWith(accountId, 'kowalczyk')).toEqual(
    expect.arrayContaining(['admin.invitation', 'imports.employee', 'imports.attribute_option', 'text.answer']),
  );
  expect(await columnsWith(accountId, JANA.import_id)).toEqual(
    expect.arrayContaining(['export.initiative', 'imports.employee', 'imports.record_result']),
  );

  const dryRun = await erase(jana, '--email', JANA.email.toUpperCase(), '--dry-run');
  expect(dryRun.erasure).toMatchObject({ employee_id: jana.id, state: 'dry_run' });
  expect(dryRun.erasure.found).toContainEqual({ table: 'imports.employee', rows: 1 });
  // Nobody may see how often somebody has answered.
  expect(JSON.stringify(dryRun.erasure.found)).not.toMatch(/text|scoring/);
  const { entries } = await operator.admin.listAudit(
    { account_id: accountId, action: 'employee.preview' },
    { caller: { requestId: 'test' }, deadlineMs: 10_000 },
  );
  expect(entries).toMatchObject([{ after: JSON.stringify({ employee_id: jana.id }).replace(':', ': ') }]);
  expect(await columnsWith(accountId, 'kowalczyk')).toContain('imports.employee');

  expect((await erase(jana, '--email', JANA.email)).erasure).toMatchObject({
    state: 'finished',
    answers: 'anonymise',
    pending_schemas: [],
  });
  for (const word of ['kowalczyk', JANA.import_id]) expect(await columnsWith(accountId, word)).toEqual([]);
  expect(await readAnswers(jana)).toEqual({
    score: before.score,
    texts: TEXTS.map((text) => text.replace('Jana Kowalczyk', '[NAME]')).sort(),
  });
  const { employees, total_count } = await file.listEmployees(jana.account);
  expect(total_count).toBe(5);
  expect(employees.find(({ id }) => id === jana.id)).toEqual({
    id: jana.id,
    import_id: null,
    email: '',
    firstname: null,
    lastname: null,
    role: null,
    is_deleted: true,
    attributes: [],
  });
  expect(employees.filter(({ id }) => id !== jana.id)).toEqual(jana.employees.filter(({ id }) => id !== jana.id));
  const assignments = Object((await api.get('/v1/survey_assignments', jana.account.readKey)).body);
  expect(assignments).toMatchObject({ total_count: 1, survey_assignments: [{ id: 2 }] });
  const initiatives = Object((await api.get('/v1/initiatives', jana.account.readKey)).body);
  expect(initiatives).toMatchObject({ initiatives: [{ creator: null, assignee: null }] });

  expect((await erase(jana, '--id', String(jana.id))).erasure).toMatchObject({ state: 'finished' });
  expect(await auditedActions(jana)).toEqual(['employee.preview', 'employee.erase', 'employee.erased']);
  const { bus, ...connection } = await connectTool(stack.natsUrl, 'test');
  await using _ = connection;
  const events = await eventsOf(db, bus, accountId);
  expect(events.filter(({ what }) => what === 'employee.erased')).toHaveLength(1);
});

it('deletes answers and texts when the account has chosen so [DATA-ERASURE-2]', async () => {
  const jana = await accountOfJana({ erased_answers: 'delete' });
  expect(await readAnswers(jana)).toMatchObject({ score: { respondents: 5, suppressed: false } });
  expect((await erase(jana, '--import-id', JANA.import_id)).erasure).toMatchObject({ state: 'finished', answers: 'delete' });
  const after = await readAnswers(jana);
  expect(after.score).toMatchObject({ respondents: 4, suppressed: true });
  expect(after.texts).toEqual(['Ask [NAME] about it.', ...TEXTS.slice(2)].sort());
});

it('skips an erased employee until the return is allowed [DATA-ERASURE-3] [DATA-ERASURE-4]', async () => {
  const jana = await accountOfJana();
  const { accountId } = jana.account;
  expect((await erase(jana, '--id', String(jana.id))).exitCode).toBe(0);
  const again = [JANA, R(9, { email: JANA.email }), ...COLLEAGUES];
  const outcome = await file.importAndWait(jana.account, again);
  expect(outcome).toMatchObject({ state: 'applied', counts: { skipped: 2 } });
  const reasons = outcome.records.flatMap((record) => record.reasons);
  expect(reasons).toMatchObject([
    { pointer: '/employees/0/email', code: 'erased' },
    { pointer: '/employees/1/email', code: 'erased' },
  ]);
  const late = [answersOf(jana.id, 7, 'Kowalczyk again'), response(uuidOf(9), { employee: { import_id: JANA.import_id } })];
  await intake.publishFacts(accountId, 'response', late, { addRespondents: false });
  const edit = { employee: { import_id: JANA.import_id }, lastname: 'Kowalczyk', attributes: [], cleared: [] };
  await intake.publishFacts(accountId, 'employee', [{ revision: 5, line: 3, employee_edit: edit }]);
  const { rows } = await db.query('select reason from scoring.dead_letter where account_id = $1', [accountId]);
  expect(rows).toEqual([{ reason: 'employee_erased' }, { reason: 'employee_erased' }]);
  for (const word of ['kowalczyk', JANA.import_id]) expect(await columnsWith(accountId, word)).toEqual([]);

  expect((await erase(jana, '--import-id', JANA.import_id, '--allow-return')).erasure).toMatchObject({ may_return: true });
  expect(await file.importAndWait(jana.account, [JANA, ...COLLEAGUES])).toMatchObject({ counts: { created: 1, skipped: 0 } });
});

it('waits until no import is running [DATA-ERASURE-1]', async () => {
  const account = await operator.createAccount();
  await file.importAndWait(account, [JANA]);
  const hold = await holdAccount(db, account.accountId);
  const person = { account, id: 0, employees: [] };
  expect((await erase(person, '--import-id', JANA.import_id, '--no-wait')).erasure).toMatchObject({ state: 'waiting' });
  expect((await file.listEmployees(account)).employees).toMatchObject([{ lastname: 'Kowalczyk' }]);
  await hold.letGo();
  expect((await erase(person, '--import-id', JANA.import_id)).erasure).toMatchObject({ state: 'finished' });
});

it('exports everything about one employee [DATA-ACCESS-1]', async () => {
  const jana = await accountOfJana();
  const target = join(stack.mailDir, 'jana.json');
  const { accountId } = jana.account;
  expect(await surveyctl(['employee', 'export', target, '--account', String(accountId), '--id', String(jana.id)])).toMatchObject({
    exitCode: 0,
  });
  const data = JSON.parse(await readFile(target, 'utf8'));
  expect(data).toMatchObject({
    imports: { employee: { lastname: 'Kowalczyk' }, attributes: [{ value: 'Hamburg' }, { value: 'Kowalczyk 12' }] },
    export: { assignments: [{ id: 1 }], initiatives: [{ is_creator: true, is_assignee: true }] },
    scoring: { responses: [{ answers: [{ question_id: 11 }] }] },
    text: { responses: [{ answers: [{ text: TEXTS[0] }] }] },
  });
  const ajv = new Ajv2020();
  addFormats.default(ajv);
  const schema = JSON.parse(await readFile(new URL('../../docs/employee-data.schema.json', import.meta.url), 'utf8'));
  ajv.validate(schema, data);
  expect(ajv.errors).toBeNull();
  expect(await auditedActions(jana)).toEqual(['employee.export']);
});
