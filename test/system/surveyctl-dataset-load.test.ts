import { factReasonText } from '@survey/bus/lines/reasons.ts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { datasetChunks } from '@survey/demo-data/write-dataset.ts';
import { workforce } from '@survey/demo-data/workforce.ts';
import { Random } from '@survey/demo-data/random.ts';
import { openIntake, survey } from '../support/facts.ts';
import { whenServed } from '../support/api.ts';
import { shareStack } from '../support/file-stack.ts';
import { R } from '../support/records.ts';
import { surveyctlAt } from '../support/surveyctl.ts';

const file = await shareStack();
const { api, db, operator, stack } = file;
const { publishFacts } = await openIntake(stack);
const surveyctl = surveyctlAt(stack);

const load = (accountId: number, lines: readonly string[], ...args: string[]) =>
  surveyctl(['dataset', 'load', '-', '--account', String(accountId), ...args], lines.join('\n'));

const SURVEY = JSON.stringify({
  kind: 'survey',
  id: 1,
  name: { en: 'Pulse' },
  frequency: 'monthly',
  created_at: '2026-01-05T08:00:00Z',
  is_archived: false,
  is_deactivated: false,
  permissions: { employees_with_access_to_results: [] },
  survey_properties: [],
  timezone: 'UTC',
});
const assignmentOf = (import_id: string): string =>
  JSON.stringify({ kind: 'assignment', id: 1, survey_id: 1, employee: { import_id }, created_at: '2026-01-05T08:00:00Z' });

describe('a generated organisation', () => {
  const size = { employees: 60, months: 2, seed: 5 };
  const lines = [...datasetChunks(size)].join('').trimEnd().split('\n');
  const PATHS = ['surveys', 'questions', 'survey_cycles', 'survey_assignments', 'initiatives', 'employees', 'attributes'];

  async function answersWith(order: readonly string[]): Promise<unknown[]> {
    const account = await operator.createAccount();
    await file.importAndWait(account, [...workforce(size)]);
    const { exitCode, stdout } = await load(account.accountId, order, '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ lines: order.length, rejected_total: 0, waiting: [] });
    const answers = PATHS.map(async (path) => (await whenServed(() => api.get(`/v1/${path}?limit=1000`, account.readKey))).body);
    return Promise.all(answers);
  }

  it('returns the same answers when it is shuffled and partly repeated', async () => {
    const random = new Random('shuffle');
    const shuffled = random.shuffled([...lines, ...lines.filter(() => random.chance(0.3))]);
    expect(await answersWith(shuffled)).toEqual(await answersWith(lines));
  });
});

describe('answers in one file with the employees who gave them', () => {
  const EMPLOYEES = 40;
  const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
  const people = Array.from({ length: EMPLOYEES }, (_, index) => index + 1);
  const country = (n: number): string => (n % 2 === 0 ? 'DE' : 'FR');
  const survey = { ...JSON.parse(SURVEY), text_threshold: 3 };
  const lines = [
    survey,
    { kind: 'question', id: 15, survey_id: 1, name: { en: 'Why?' }, type: 'textfield', is_deleted: false, answer_options: [] },
    { kind: 'cycle', id: uuid(1_000), survey_id: 1, opened_at: '2026-01-05T08:00:00Z', closed_at: '2026-02-05T08:00:00Z' },
    ...people.map((id) => ({ kind: 'employee', id, email: `p${id}@x.io`, created_via: 'app', attributes: [] })),
    ...people.map((id) => ({
      kind: 'employee',
      employee: { id },
      revision: 1,
      attributes: [{ name: 'Country', value: country(id) }],
    })),
    ...people.map((id) => ({
      kind: 'response',
      id: uuid(id),
      survey_id: 1,
      cycle_id: uuid(1_000),
      employee: { id },
      submitted_at: '2026-01-06T08:00:00Z',
      answers: [{ question_id: 15, text: `text of ${id}` }],
    })),
  ].map((line) => JSON.stringify(line));
  const page = z.object({ responses: z.array(z.object({ text: z.string() })) });

  async function textsByCountry(order: readonly string[]): Promise<Record<string, string[]>> {
    const account = await operator.createAccount();
    const { exitCode, stdout } = await load(account.accountId, order, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ rejected_total: 0, waiting_lines_total: 0 });
    expect(exitCode).toBe(0);
    const set = ['settings', 'set', '--account', String(account.accountId), '--text-filter-attribute', 'Country'];
    expect(await surveyctl(set)).toMatchObject({ exitCode: 0 });
    const { rows } = await db.query<{ id: number; name: string }>(
      'select id, name from imports.attribute_option where account_id = $1 order by id',
      [account.accountId],
    );
    const texts = rows.map(async ({ id, name }) => {
      const { body } = await api.get(`/v1/text_responses?limit=1000&attribute_option_ids=${id}`, account.readKey);
      return [
        `${name} ${id}`,
        page
          .parse(body)
          .responses.map(({ text }) => text)
          .sort(),
      ] as const;
    });
    return Object.fromEntries(await Promise.all(texts));
  }

  it('are found by the attributes of the whole file in whatever order its lines are', async () => {
    const random = new Random('answers');
    const orders = [lines, lines.toReversed(), random.shuffled(lines)];
    const found = [];
    for (const order of orders) found.push(await textsByCountry(order));
    expect(found.map((each) => Object.values(each).map(({ length }) => length))).toEqual(orders.map(() => [20, 20]));
    expect(found[1]).toEqual(found[0]);
    expect(found[2]).toEqual(found[0]);
  });
});

describe('a line that is not valid', () => {
  it('is rejected with its number and reason, and does not stop the others', async () => {
    const account = await operator.createAccount();
    const lines = ['nonsense', SURVEY, '', '{"kind":"cycle","id":"x"}', '{"kind":"topic","name":"Pay"}'];
    const { exitCode, stdout } = await load(account.accountId, lines, '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      lines: 4,
      kinds: { survey: { loaded: 1, rejected: 0 }, cycle: { loaded: 0, rejected: 1 }, topic: { loaded: 1, rejected: 0 } },
      rejected_total: 2,
      rejected: [
        { line: 1, kind: null, reason: 'is not JSON', rejected_by: 'surveyctl' },
        { line: 4, kind: 'cycle', reason: expect.stringContaining('id must be a UUID'), rejected_by: 'surveyctl' },
      ],
    });
    expect((await api.get('/v1/surveys', account.readKey)).body).toMatchObject({ total_count: 1 });
  });

  it('is also reported in the human-readable output', async () => {
    const account = await operator.createAccount();
    const { exitCode, stdout } = await load(account.accountId, [SURVEY, '{}']);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/1 lines? rejected/);
    expect(stdout).toMatch(/^2 +- +surveyctl +kind must be one of/m);
  });
});

describe('a fact about an unknown employee', () => {
  it('waits, is named by its line, and is applied when they come', async () => {
    const account = await operator.createAccount();
    const first = await load(account.accountId, [SURVEY, assignmentOf('E1')], '--json');
    expect(first.exitCode).toBe(1);
    expect(JSON.parse(first.stdout)).toMatchObject({
      waiting: [{ service: 'export', kind: 'assignment', facts: 1 }],
      waiting_lines_total: 1,
      waiting_lines: [{ service: 'export', kind: 'assignment', line: 2 }],
    });
    const again = await load(account.accountId, ['', '', assignmentOf('E1')]);
    expect(again).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(/^3 +assignment +export/m) });
    const deferred = ['facts', 'deferred', '--account', String(account.accountId)];
    const { stdout } = await surveyctl([...deferred, '--json']);
    expect(JSON.parse(stdout)).toEqual({ deferred: [{ service: 'export', kind: 'assignment', facts: 1 }] });
    expect((await surveyctl(deferred)).stdout).toMatch(/^export +assignment +1$/m);
    await file.importAndWait(account, [R(1)]);
    const count = async (): Promise<unknown> => (await api.get('/v1/survey_assignments', account.readKey)).body;
    await expect.poll(count, { timeout: 15_000 }).toMatchObject({ total_count: 1 });
  });
});

describe('dead letters of a load', () => {
  it('are listed with their lines, in pages, and counted by kind', async () => {
    const account = await operator.createAccount();
    const unfit = [survey(0), survey(2, { created_at: 'soon' }), survey(3, { timezone: '' })];
    await publishFacts(account.accountId, 'survey', [survey(1), ...unfit], { source: 'load-1' });
    const ask = (limit: number, offset: number) =>
      operator.admin.listDeadLetters(
        { account_id: account.accountId, source: 'load-1', limit, offset },
        { caller: { requestId: 'test' }, deadlineMs: 10_000 },
      );
    const first = await ask(2, 0);
    expect(first.dead_letters.map(({ rejected_by, kind, line }) => [rejected_by, kind, line])).toContainEqual([
      'export',
      'survey',
      0,
    ]);
    expect(first.counts).toEqual([{ kind: 'survey', lines: 3 }]);
    const rest = await ask(100, 2);
    expect(rest.dead_letters).toHaveLength(first.total - 2);
    const command = ['facts', 'dead-letters', '--account', String(account.accountId), '--source', 'load-1'];
    const shown = await surveyctl([...command, '--json']);
    const dead_letters = (await ask(100, 0)).dead_letters.map(({ reason, ...letter }) => ({
      ...letter,
      code: reason,
      reason: factReasonText(reason),
    }));
    expect(JSON.parse(shown.stdout)).toEqual({ total: first.total, dead_letters });
    expect((await surveyctl([...command, '--limit', '1'])).stdout).toMatch(/^0 +\w+ +survey +id must be above 0$/m);
  });
});

describe('a load that cannot begin', () => {
  it('ends with 1 for an account that does not exist, with 2 for a file that cannot be read', async () => {
    expect(await load(999_999, [SURVEY])).toMatchObject({ exitCode: 1, stdout: '' });
    expect(await surveyctl(['dataset', 'load', '/no/such/file', '--account', '1'])).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it('exits with 1 when NATS does not respond', async () => {
    const account = await operator.createAccount();
    const { exitCode, stderr } = await load(account.accountId, [SURVEY], '--nats', 'nats://prepare:canary@127.0.0.1:1');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('cannot use NATS at nats://127.0.0.1:1: ');
  });
});
