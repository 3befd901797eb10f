import { catchUp } from '@survey/postgres/account-cache.ts';
import { inAccountSnapshot } from '@survey/postgres/database.ts';
import { createLog } from '@survey/process/log.ts';
import { ApplicationError } from '@survey/rpc/application-error.ts';
import { readSnapshot } from '@survey/text-analysis/answers/account-snapshot.ts';
import { expect, test } from 'vitest';
import { question, response, survey, uuidOf } from '../support/facts.ts';
import { checkInParallel } from './parallel-property.ts';
import type { Newcomer } from './scoring-database.ts';
import { createTextAccount, openTextDatabase, type TextAccount } from './text-database.ts';
import { TextModel, type TextQuery } from './text-model.ts';
import { textDays, type TextStep } from './text-steps.ts';

const database = await openTextDatabase();

const SEEDS = Number(process.env['TEXT_SEEDS'] ?? 40);

test(
  `the free-text answers of ${SEEDS} random accounts are those of the model [DATA-ERASURE-2]`,
  { timeout: 300_000 },
  async () => {
    const seen = { released: 0, masked: 0, empty: 0, rejected: 0 };
    await checkInParallel(SEEDS, textDays, async (steps) => {
      const account = await createTextAccount(database);
      const model = new TextModel();
      await account.bring(STAFF);
      for (const employee of STAFF) model.bring(employee);
      for (const step of steps) await perform(step, account, model, seen);
    });
    // A slow machine may time out before the last seed: the steps tried must cover every kind.
    expect(Object.entries(seen).filter(([, times]) => times <= 3)).toEqual([]);
  },
);

test('an account whose people had more than 6,000,000 options together is busy, and ends no process', async () => {
  const account = await createTextAccount(database);
  await database.db.query(
    `insert into text.option_set (account_id, ordinal, option_ids, key)
     select $1, 0, array_agg(n), 'x' from generate_series(1, 6000001) n`,
    [account.accountId],
  );
  await expect(account.ask({ limit: 1, offset: 0 })).rejects.toMatchObject({ code: 'busy' });
});

test('calls at the same time update the cached answers to each their own snapshot [TEXTS-SCOPE-1]', async () => {
  const account = await createTextAccount(database);
  const { accountId } = account;
  await account.bring(STAFF);
  await account.state('survey', [survey(1, { text_threshold: 3 })]);
  await account.state('question', [question(15)]);
  const answer = (cycle: number) => {
    const answers = [{ question_id: 15, option_ids: [], text: `cycle ${cycle}` }];
    const facts = [1, 2, 3].map((id) =>
      response(uuidOf(10 * cycle + id), { employee: { id }, cycle_id: uuidOf(cycle), answers }),
    );
    return account.state('response', facts);
  };
  await answer(1);
  await account.ask({ limit: 1, offset: 0 });
  const cached = await database.answerCache.get(accountId);
  const read = () => inAccountSnapshot(database.text, accountId, (tx) => readSnapshot(tx, { accountId, cached, optionIds: [] }));
  await answer(2);
  const first = await read();
  await answer(3);
  const second = await read();
  const options = { accountId, cache: database.answerCache, log: createLog('test', 'silent') };
  expect([catchUp(cached, first, options), catchUp(cached, second, options)]).toEqual([true, true]);
  for (const cycle of [1, 2, 3]) {
    const responses = Array.from({ length: 3 }, () => ({ text: `cycle ${cycle}`, topics: [] }));
    expect(await account.ask({ survey_cycle_ids: { ids: [uuidOf(cycle)] }, limit: 10, offset: 0 })).toEqual({
      total_count: 3,
      responses,
    });
  }
});

// The response of employee 1 is deleted before employee 4 answers under the same id.
test.each(['before', 'after'])(
  'forgets decisions about a deleted text whose topic appears %s the erasure [DATA-ERASURE-2]',
  async (when) => {
    const account = await createTextAccount(database);
    const model = new TextModel();
    const answered = (...employees: number[]): TextStep => ({
      do: 'state',
      kind: 'response',
      facts: employees.map((id) =>
        response(uuidOf(id === 4 ? 1 : id), {
          employee: { id },
          answers: [{ question_id: 15, option_ids: [], text: 'the canteen is fine' }],
        }),
      ),
    });
    const topic: TextStep = {
      do: 'state',
      kind: 'topic',
      facts: [{ revision: 0, line: 0, topic: { name: 'Pay', description: null, keywords: {} } }],
    };
    const erasure: TextStep = { do: 'erase', id: 1, answers: 'delete' };
    const decision = { response_id: uuidOf(1), question_id: 15, topic: 'Pay', sentiment: null, removed: false };
    const steps: TextStep[] = [
      { do: 'state', kind: 'survey', facts: [survey(1, { text_threshold: 3 })] },
      { do: 'state', kind: 'question', facts: [question(15)] },
      { do: 'decide', settings: { effect: 'off', categories: ['email'], filterAttribute: null } },
      answered(1, 2, 3),
      { do: 'state', kind: 'topic_assignment', facts: [{ revision: 0, line: 0, topic_assignment: decision }] },
      ...(when === 'before' ? [topic, erasure] : [erasure, topic]),
      answered(4),
      { do: 'ask', query: {}, limit: 1_000, offset: 0 },
    ];
    await account.bring(STAFF);
    for (const employee of STAFF) model.bring(employee);
    const seen = { released: 0, masked: 0, empty: 0, rejected: 0 };
    for (const step of steps) await perform(step, account, model, seen);
    expect(seen.released).toBe(1);
  },
);

const STAFF: readonly Newcomer[] = [1, 2, 3, 4, 5, 6, 7].map((id) => ({ id, importId: null, optionIds: [(id % 3) + 1] }));

type Seen = Record<'released' | 'masked' | 'empty' | 'rejected', number>;

async function perform(step: TextStep, account: TextAccount, model: TextModel, seen: Seen): Promise<void> {
  switch (step.do) {
    case 'state':
      await account.state(step.kind, step.facts);
      return model.state(step.facts);
    case 'bring':
      await account.bring([step.employee]);
      return model.bring(step.employee);
    case 'move':
      for (const id of step.ids) {
        await account.move(id, step.optionIds);
        model.move(id, step.optionIds);
      }
      return;
    case 'erase':
      await account.erase(step.id, step.answers);
      return model.erase(step.id, step.answers);
    case 'decide':
      await account.decide(step.settings);
      return model.decide(step.settings);
    case 'mask':
      return mask(step.jobs, account, model, seen);
    case 'ask':
      return compare(step, account, model, seen);
  }
}

// The service chooses the answers of a partial run; the model checks that they needed masks and
// that no other masks exist.
async function mask(jobs: number, account: TextAccount, model: TextModel, seen: Seen): Promise<void> {
  const before = await account.masks();
  expect([...before.keys()].sort()).toEqual(model.maskedKeys.sort());
  await account.mask(jobs);
  const after = await account.masks();
  const made = [...after].filter(([key, policy]) => before.get(key) !== policy).map(([key]) => key);
  expect(model.maskable).toEqual(expect.arrayContaining(made));
  model.masked(made);
  seen.masked += made.length;
  if (jobs >= 50) expect(model.maskable.filter((key) => !model.isMasked(key))).toEqual([]);
}

async function compare(
  { query, limit, offset }: { query: TextQuery; limit: number; offset: number },
  account: TextAccount,
  model: TextModel,
  seen: Seen,
): Promise<void> {
  const released = model.ask(query);
  seen[released === '400' ? 'rejected' : released.length === 0 ? 'empty' : 'released'] += 1;
  const expected = released === '400' ? '400' : await pageOf(released, limit, offset, account);
  const { surveyIds, cycleIds, questionIds, optionIds } = query;
  const idSet = (ids: readonly number[] | undefined) => ids && { ids: [...ids, ...ids] };
  const sets = { survey_ids: idSet(surveyIds), question_ids: idSet(questionIds), attribute_option_ids: idSet(optionIds) };
  const request = { ...sets, survey_cycle_ids: cycleIds && { ids: cycleIds.map((id) => id.toUpperCase()) }, limit, offset };
  // The incrementally updated cache, read twice, and a fresh load.
  expect(await answerTo(account, request)).toEqual(expected);
  expect(await answerTo(account, request)).toEqual(expected);
  database.answerCache.drop(account.accountId);
  expect(await answerTo(account, request)).toEqual(expected);
}

async function pageOf(
  released: Exclude<ReturnType<TextModel['ask']>, '400'>,
  limit: number,
  offset: number,
  account: TextAccount,
): Promise<object> {
  const places = await account.places();
  const inOrder = released.toSorted((a, b) => ((places.get(a.key) ?? 0n) < (places.get(b.key) ?? 0n) ? -1 : 1));
  const responses = inOrder.slice(offset, offset + limit).map(({ text, topics }) => ({ text, topics }));
  return { total_count: released.length, responses };
}

async function answerTo(account: TextAccount, request: Parameters<TextAccount['ask']>[0]): Promise<unknown> {
  try {
    // Generated by this service.
    const page = (await account.ask(request)) as { total_count: number; responses: { topics: { name: string }[] }[] };
    for (const { topics } of page.responses) topics.sort((a, b) => (a.name < b.name ? -1 : 1));
    return page;
  } catch (error) {
    if (error instanceof ApplicationError && error.code === 'invalid') return '400';
    throw error;
  }
}
