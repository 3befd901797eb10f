import { randomUUID } from 'node:crypto';
import { ScoringServiceDefinition } from '@survey/proto/scoring/v1/scoring.ts';
import type { Fact } from '@survey/proto/intake/v1/intake.ts';
import { toolOf } from '@survey/process/tool.ts';
import { connectUpstream } from '@survey/rpc/upstream.ts';
import { afterAll, describe, expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { openIntake, question, response, survey, uuidOf } from '../support/facts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { R, records } from '../support/records.ts';
import { optionId, optionsOf } from '../support/scales.ts';

const { stack, api, operator, db, importAndWait, listEmployees } = await startFileStack();
const intake = await openIntake(stack);

async function fixture(): Promise<Account> {
  const account = await operator.createAccount();
  await intake.publishFacts(account.accountId, 'survey', [survey(1)]);
  await intake.publishFacts(account.accountId, 'question', [stars(11)]);
  return account;
}

const stars = (id: number): Fact => question(id, { type: 'stars', answer_options: optionsOf(id) });

const answersBy = (n: number, employee: { id: number } | { import_id: string }, value: number, revision = 0): Fact =>
  response(uuidOf(n), { employee, answers: [{ question_id: 11, option_ids: [optionId(11, value)] }] }, revision);

const take = (account: Account, ...facts: Fact[]): Promise<void> => intake.publishFacts(account.accountId, 'response', facts);

async function score({ readKey }: Account): Promise<unknown> {
  const { body } = await api.get(
    '/v1/scores?question_ids=11&period_from=2000-01-01T00:00:00Z&period_to=2100-01-01T00:00:00Z',
    readKey,
  );
  return body;
}

describe('respondents', () => {
  it('are counted when they are offboarded, and one person by id and by import_id is one [IMPORT-IDENTITY-8]', async () => {
    const account = await fixture();
    await importAndWait(account, records(1, 5));
    const { employees } = await listEmployees(account);
    const [first] = employees;
    await take(account, ...[1, 2, 3, 4, 5].map((n) => answersBy(n, { import_id: `E${n}` }, 5)));
    await take(account, answersBy(6, { id: first?.id ?? 0 }, 5));
    expect(await score(account)).toMatchObject({ score: 100, respondents: 5 });
    await importAndWait(account, records(1, 4));
    expect(await score(account)).toMatchObject({ score: 100, respondents: 5 });
  });

  it('are deferred until an import creates their employee', async () => {
    const account = await fixture();
    await take(account, ...[1, 2, 3, 4, 5].map((n) => answersBy(n, { import_id: `E${n}` }, 5)));
    await take(account, answersBy(1, { import_id: 'E1' }, 1, 1));
    expect(await score(account)).toMatchObject({ score: null, respondents: 0 });
    await importAndWait(account, records(1, 5));
    await expect.poll(() => score(account), { timeout: 10_000 }).toMatchObject({ score: 80, respondents: 5 });
    expect(await waitingIn(account)).toBe(0);
  });

  it('are counted with the edits that waited for the same import', async () => {
    const account = await fixture();
    const { accountId } = account;
    const edits = [1, 2, 3, 4, 5].map((n) => {
      const attributes = [{ name: 'Country', value: 'DE' }];
      return { revision: 1, line: n, employee_edit: { employee: { import_id: `E${n}` }, attributes, cleared: [] } };
    });
    await take(account, ...[1, 2, 3, 4, 5].map((n) => answersBy(n, { import_id: `E${n}` }, 5)));
    await intake.publishFacts(accountId, 'employee', edits);
    await importAndWait(account, records(1, 5));
    await expect.poll(() => score(account)).toMatchObject({ score: 100, respondents: 5 });
    const { rows } = await db.query(
      'select distinct cardinality(option_ids) as options from scoring.response where account_id = $1',
      [accountId],
    );
    expect(rows).toEqual([{ options: 1 }]);
  });

  it('whom a fact names by id before they exist are waited for, with the options that they come with', async () => {
    const account = await fixture();
    const { accountId } = account;
    const responses = [1, 2, 3, 4, 5].map((n) => answersBy(n, { id: n }, 5));
    await intake.publishFacts(accountId, 'response', responses, { addRespondents: false });
    expect(await score(account)).toMatchObject({ score: null, respondents: 0 });
    expect(await waitingIn(account)).toBe(5);
    const attributes = [{ name: 'Country', value: 'DE' }];
    const employees = [1, 2, 3, 4, 5].map((id) => ({
      revision: 0,
      line: id,
      employee: { id, email: `p${id}@x.io`, is_deleted: false, created_via: 'app', attributes },
    }));
    await intake.publishFacts(accountId, 'employee', employees);
    await expect.poll(() => score(account)).toMatchObject({ score: 100, respondents: 5 });
    const { rows } = await db.query(
      'select distinct cardinality(option_ids) as options from scoring.response where account_id = $1',
      [accountId],
    );
    expect(rows).toEqual([{ options: 1 }]);
  });
});

async function waitingIn({ accountId }: Account): Promise<number> {
  const { rows } = await db.query('select from scoring.deferred_fact where account_id = $1', [accountId]);
  return rows.length;
}

describe('responses', () => {
  it('count once, however often and in whatever revision they come, and not at all once their answers are withdrawn', async () => {
    const account = await fixture();
    const all = [1, 2, 3, 4, 5].map((n) => answersBy(n, { id: n }, 5));
    await take(account, ...all, ...all);
    expect(await score(account)).toMatchObject({ score: 100, respondents: 5 });
    await take(account, answersBy(1, { id: 1 }, 1, 2));
    expect(await score(account)).toMatchObject({ score: 80, respondents: 5 });
    await take(account, answersBy(1, { id: 1 }, 3, 1), ...all);
    expect(await score(account)).toMatchObject({ score: 80, respondents: 5 });
    await take(account, response(uuidOf(1), { employee: { id: 1 } }, 3));
    expect(await score(account)).toMatchObject({ score: null, respondents: 4 });
  });

  it('count that came before their question and its survey, as soon as these are there', async () => {
    const account = await operator.createAccount();
    await take(account, ...[1, 2, 3, 4, 5].map((n) => answersBy(n, { id: n }, 4)));
    expect(await score(account)).toMatchObject({ status: 400 });
    await intake.publishFacts(account.accountId, 'question', [stars(11)]);
    // Its threshold is still unknown.
    expect(await score(account)).toMatchObject({ status: 400 });
    await intake.publishFacts(account.accountId, 'survey', [survey(1)]);
    expect(await score(account)).toMatchObject({ score: 75, respondents: 5 });
  });

  it('are worth what the question says now', async () => {
    const account = await fixture();
    await take(account, ...[1, 2, 3, 4, 5].map((n) => answersBy(n, { id: n }, 5)));
    expect(await score(account)).toMatchObject({ score: 100 });
    const inverted = optionsOf(11).map((option) => ({ ...option, is_maximum: option.is_minimum, is_minimum: option.is_maximum }));
    await intake.publishFacts(account.accountId, 'question', [question(11, { type: 'stars', answer_options: inverted }, 1)]);
    expect(await score(account)).toMatchObject({ score: 0 });
  });

  it('that can never be applied become dead letters and do not delay other facts', async () => {
    const account = await fixture();
    const good = [1, 2, 3, 4, 5].map((n) => answersBy(n, { id: n }, 5));
    const twice = [11, 11].map((question_id) => ({ question_id, option_ids: [optionId(11, 1)] }));
    const bad = [
      response('not-a-uuid'),
      response(uuidOf(91), { cycle_id: 'c1' }),
      response(uuidOf(92), { submitted_at: '2024-01-01' }),
      response(uuidOf(93), { submitted_at: '9999-01-01T00:00:00Z' }),
      response(uuidOf(94), { employee: null }),
      response(uuidOf(95), { answers: twice }),
      stars(96),
    ];
    await take(account, ...bad, ...good);
    expect(await score(account)).toMatchObject({ score: 100, respondents: 5 });
    const { rows } = await db.query('select reason from scoring.dead_letter where account_id = $1', [account.accountId]);
    expect(rows).toHaveLength(bad.length);
  });
});

describe('the options of a respondent', () => {
  it('are those of the time at which the answer was ingested', async () => {
    const account = await fixture();
    const inDepartment = (name: string) => R(1, { attributes: [{ name: 'Department', value: { name } }] });
    await importAndWait(account, [inDepartment('Sales')]);
    await take(account, answersBy(1, { import_id: 'E1' }, 5));
    await importAndWait(account, [inDepartment('IT')]);
    await take(account, answersBy(1, { import_id: 'E1' }, 4, 1), answersBy(2, { import_id: 'E1' }, 5));
    const { rows } = await db.query<{ names: string[] }>(
      `select array(select o.name from imports.attribute_option o where o.account_id = r.account_id and o.id = any(r.option_ids)) as names
       from scoring.response r where r.account_id = $1 order by r.id`,
      [account.accountId],
    );
    expect(rows.map(({ names }) => names)).toEqual([['Sales'], ['IT']]);
  });
});

describe('DecideTextRelease', () => {
  const tool = toolOf('test');
  const scoring = connectUpstream(ScoringServiceDefinition, stack.services['scoring-anonymity'].address, tool);
  afterAll(() => scoring[Symbol.dispose]());

  async function releasedOf({ accountId }: Account, cycles: readonly [surveyId: number, people: number][]): Promise<number[]> {
    const ids = cycles.map((): string => randomUUID());
    const request = { cycles: cycles.map(([survey_id, people], index) => ({ cycle_id: ids[index] ?? '', survey_id, people })) };
    const options = { caller: { requestId: 'test', accountId }, deadlineMs: 2_000 };
    const { released_cycle_ids } = await scoring.decideTextRelease(request, options);
    return released_cycle_ids.map((id) => ids.indexOf(id));
  }

  it('judges each cycle by the threshold of its survey [TEXTS-THRESHOLD-1, TEXTS-THRESHOLD-2, SCORES-THRESHOLD-3]', async () => {
    const account = await operator.createAccount();
    const surveys = [3, 5, null, 0, 1].map((text_threshold, index) => survey(index + 1, { text_threshold, score_threshold: 50 }));
    await intake.publishFacts(account.accountId, 'survey', surveys);
    expect(await releasedOf(account, [[1, 3], [1, 2], [2, 5], [2, 4], [1, 2]])).toEqual([0, 2]); // oxfmt-ignore
    expect(await releasedOf(account, [[3, 4], [3, 5], [4, 4], [4, 5], [5, 2], [5, 3]])).toEqual([1, 3, 5]); // oxfmt-ignore
    expect(await releasedOf(account, [])).toEqual([]);
  });

  it('releases nothing of a survey that is not known, or another account knows', async () => {
    const [account, other] = [await operator.createAccount(), await operator.createAccount()];
    await intake.publishFacts(other.accountId, 'survey', [survey(1)]);
    expect(await releasedOf(account, [[1, 1_000]])).toEqual([]);
    expect(await releasedOf(other, [[1, 1_000]])).toEqual([0]);
  });

  it('counts what it decides', async () => {
    const text = await (await fetch(`http://${stack.services['scoring-anonymity'].probeAddress}/metrics`)).text();
    for (const outcome of ['released', 'suppressed']) expect(text).toMatch(new RegExp(`kind="text_cycle",outcome="${outcome}"`));
    expect(text).toMatch(/kind="score",outcome="released"/);
  });
});
