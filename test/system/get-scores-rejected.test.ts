import { describe, expect, it } from 'vitest';
import { ALL_TIME, answers, period } from '../support/answers.ts';
import { expectProblem } from '../support/api.ts';
import { question } from '../support/facts.ts';
import { shareStack } from '../support/file-stack.ts';
import { openScoreFixture, released, STARS, suppressed, withoutInstance } from '../support/score-fixture.ts';

const files = await shareStack();
const { api } = files;
const { fixture, state, ask } = await openScoreFixture(files);

describe('400', () => {
  it('eNPS questions and others, before any answer is looked at [SCORES-QUERY-2]', async () => {
    const account = await fixture();
    const { errors } = expectProblem(await ask(account, '11,13'), 400);
    expect(errors).toMatchObject([{ parameter: 'question_ids' }]);
  });

  it('a question in words [SCORES-QUERY-3]', async () => {
    const account = await fixture();
    for (const ids of ['15', '11,15', '13,15']) expectProblem(await ask(account, ids), 400);
  });

  it('an unknown question is indistinguishable from one of another account [SCORES-QUERY-4, AUTH-TENANCY-1]', async () => {
    const [account, other] = [await fixture(), await fixture()];
    await state(other, 'question', question(99, STARS));
    await state(other, 'response', ...answers({ 11: [5, 5, 5, 5, 5] }));
    const [unknown, foreign] = [await ask(account, '98'), await ask(account, '99')];
    expectProblem(unknown, 400);
    expect(withoutInstance(foreign)).toEqual(withoutInstance(unknown));
    expect(foreign.status).toBe(400);
    expect(await ask(account, '11')).toMatchObject(suppressed(0));
  });

  it('what is missing, empty, reversed or unknown [ERRORS-QUERY-2, SCORES-QUERY-1, SCORES-PERIOD-2, SCORES-QUERY-5, GUARD-SEGMENTS-1]', async () => {
    const account = await fixture();
    const { from, to } = ALL_TIME;
    const whole = { question_ids: '11', period_from: from, period_to: to };
    const bad = [
      {},
      { ...whole, question_ids: '' },
      { question_ids: '11', period_from: from },
      { question_ids: '11', period_to: to },
      { ...whole, period_from: to, period_to: from },
      { ...whole, attribute_option_ids: '1' },
      { ...whole, participation: 'false' },
      { ...whole, question_ids: '11,' },
    ];
    for (const parameters of bad) {
      expectProblem(await api.get(`/v1/scores?${new URLSearchParams(parameters).toString()}`, account.readKey), 400);
    }
    expect((await api.get(`/v1/scores?${new URLSearchParams(whole).toString()}`, account.readKey)).status).toBe(200);
  });

  it.each([
    ['DATETIMES-FORMAT-1', '2024-01-01'],
    ['DATETIMES-FORMAT-1', '2024-01-01T00:00:00'],
    ['DATETIMES-FORMAT-2', '2024-02-30T00:00:00Z'],
    ['DATETIMES-FORMAT-1', '2024-01-01%2000:00:00Z'],
    ['DATETIMES-FORMAT-1', '2024-01-01T00:00Z'],
    ['DATETIMES-FORMAT-2', '2024-01-01T24:00:00Z'],
    ['DATETIMES-FORMAT-1', '2024-01-01T00:00:00%2B25:00'],
    ['DATETIMES-FORMAT-6', '%FF2024-01-01T00:00:00Z'],
    ['DATETIMES-FORMAT-6', `2024-01-01T00:00:00Z&period_from=2024-01-01T00:00:00Z`],
  ])('period_from=$1 [$0]', async (_, text) => {
    const { readKey } = await fixture();
    const answer = await api.get(`/v1/scores?question_ids=11&period_from=${text}&period_to=2030-01-01T00:00:00Z`, readKey);
    expect(expectProblem(answer, 400).errors).toMatchObject([{ parameter: 'period_from' }]);
  });

  it('what RFC 3339 allows [DATETIMES-FORMAT-1, DATETIMES-FORMAT-3, DATETIMES-FORMAT-4]', async () => {
    const account = await fixture();
    await state(account, 'response', ...answers({ 11: [5, 5, 5, 5, 5] }, { at: '2017-01-01T00:00:00Z' }));
    for (const from of [
      '2016-12-31t22:00:00-02:00',
      '2017-01-01T02:00:00+02:00',
      '2016-12-31T23:59:60Z',
      '2017-01-01T00:00:00-00:00',
    ]) {
      expect(await ask(account, '11', period(from, from))).toMatchObject(released(100, 5));
    }
    expect(await ask(account, '11', period('0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z'))).toMatchObject(released(100, 5));
  });
});
