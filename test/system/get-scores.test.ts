import type { Fact, Question } from '@survey/rpc/gen/survey/intake/v1/intake.ts';
import { describe, expect, it } from 'vitest';
import type { Account } from '../accounts.ts';
import { expectProblem, type Answer } from '../api.ts';
import { openIntake, question, survey } from '../facts.ts';
import { startFileStack } from '../file-stack.ts';
import { ALL_TIME, answers, optionsOf, period, scale, type Period } from '../answers.ts';

const { stack, api, operator } = await startFileStack();
const intake = await openIntake(stack);

const STARS: Partial<Question> = { type: 'stars', answer_options: scale(11, { worst: 1, best: 5 }, 1, 2, 3, 4, 5) };
const INVERTED: Partial<Question> = { type: 'stars', answer_options: scale(12, { worst: 5, best: 1 }, 1, 2, 3, 4, 5) };
const nps = (id: number): Partial<Question> => ({
  type: 'nps',
  answer_options: scale(id, { worst: 0, best: 10 }, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
});
const SMILEYS: Partial<Question> = {
  survey_id: 2,
  type: 'smiley_faces',
  answer_options: scale(21, { worst: 1, best: 3 }, 1, 2, 3),
};

// rulings.md, section 14.
async function fixture(): Promise<Account> {
  const account = await operator.createAccount();
  await state(account, 'survey', survey(1, { score_threshold: 5 }), survey(2, { score_threshold: 10 }));
  const questions = [question(11, STARS), question(12, INVERTED), question(13, nps(13)), question(14, nps(14)), question(15)];
  await state(account, 'question', ...questions, question(21, SMILEYS));
  return account;
}

const state = ({ accountId }: Account, kind: 'survey' | 'question' | 'response', ...facts: Fact[]): Promise<void> =>
  intake.publishFacts(accountId, kind, facts);

async function ask({ readKey }: Account, ids: string, { from, to }: Period = ALL_TIME): Promise<Answer> {
  const path = `/v1/scores?question_ids=${ids}&period_from=${encodeURIComponent(from)}&period_to=${encodeURIComponent(to)}`;
  const first = await api.get(path, readKey);
  // The first call of an account is answered by PostgreSQL, later ones from memory.
  const second = await api.get(path, readKey);
  expect({ ...second, headers: undefined, body: withoutInstance(second) }).toEqual({
    ...first,
    headers: undefined,
    body: withoutInstance(first),
  });
  return second;
}

const withoutInstance = ({ body }: Answer): object => ({ ...Object(body), instance: undefined });

const released = (score: number, respondents: number, unit = 'favorability_percent') => ({
  status: 200,
  body: { score, unit, respondents, suppressed: false, suppression_reason: null },
});
const suppressed = (respondents: number, unit = 'favorability_percent') => ({
  status: 200,
  body: { score: null, unit, respondents, suppressed: true, suppression_reason: 'below_anonymity_threshold' },
});

describe('200', () => {
  it('Q01 Q03 Q37 five people answer 5, 4, 3, 2, 1: exactly the threshold is enough', async () => {
    const account = await fixture();
    await state(account, 'response', ...answers({ 11: [5, 4, 3, 2, 1] }));
    const answer = await ask(account, '11');
    expect(answer).toMatchObject(released(50, 5));
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
    expect(answer.headers.get('etag')).toBeNull();
  });

  it('Q02 Q04 Q35 four people, and nobody: withheld, and the count is told', async () => {
    const account = await fixture();
    expect(await ask(account, '11')).toMatchObject(suppressed(0));
    await state(account, 'response', ...answers({ 11: [5, 5, 5, 5] }));
    expect(await ask(account, '11')).toMatchObject(suppressed(4));
  });

  it('Q06 Q33 every response counts, every person once, to two decimals', async () => {
    const account = await fixture();
    await state(account, 'response', ...answers({ 11: [5, 5, 5, 5, 5, 1, 1, 1, 1] }, { people: [1, 1, 1, 1, 1, 2, 3, 4, 5] }));
    expect(await ask(account, '11')).toMatchObject(released(55.56, 5));
    await state(account, 'response', ...answers({ 12: [1, 1, 5, 5, 5, 5] }, { from: 10 }));
    expect(await ask(account, '12')).toMatchObject(released(33.33, 6));
  });

  it('Q08 Q09 the flagged options are the ends, whichever number is larger', async () => {
    const account = await fixture();
    const tens = { type: 'single_select', answer_options: scale(16, { worst: 10, best: 30 }, 10, 20, 30) };
    await state(account, 'question', question(16, tens));
    await state(account, 'response', ...answers({ 12: [1, 1, 1, 1, 1], 16: [20, 20, 20, 20, 20] }));
    expect(await ask(account, '12')).toMatchObject(released(100, 5));
    expect(await ask(account, '16')).toMatchObject(released(50, 5));
  });

  it('Q10 Q12 eNPS is promoters less detractors, from -100 to 100', async () => {
    const account = await fixture();
    await state(account, 'response', ...answers({ 13: [9, 10, 9, 10, 9, 7, 8, 0, 6, 3], 14: [0, 1, 2, 3, 4, 5, 6, 0, 0, 6] }));
    expect(await ask(account, '13')).toMatchObject(released(20, 10, 'enps'));
    expect(await ask(account, '14')).toMatchObject(released(-100, 10, 'enps'));
  });

  it('Q15 several questions count the same, however many answers each has', async () => {
    const account = await fixture();
    const first = answers({ 13: [9, 10, 7, 0] });
    const second = answers({ 14: [9, 8] }, { people: [5, 6], from: 5 });
    await state(account, 'response', ...first, ...second);
    expect(await ask(account, '13,14')).toMatchObject(released(37.5, 6, 'enps'));
  });

  it('Q19 the questions are a set', async () => {
    const account = await fixture();
    await state(account, 'response', ...answers({ 11: [5, 4, 3, 2, 2], 12: [1, 1, 1, 1, 1] }));
    expect(await ask(account, '11,11')).toMatchObject(released(55, 5));
    expect(await ask(account, '12,11')).toEqual(expect.objectContaining(released(77.5, 5)));
    expect(await ask(account, '0011,012,11')).toMatchObject(released(77.5, 5));
  });

  it('Q22 Q23 T13 both ends belong to the period, to the microsecond', async () => {
    const account = await fixture();
    const at = '2024-03-01T12:00:00.123456Z';
    const later = '2024-03-01T12:00:00.123457Z';
    await state(account, 'response', ...answers({ 11: [5, 5, 5, 5, 5] }, { at }));
    await state(account, 'response', ...answers({ 11: [1, 1, 1, 1, 1] }, { at: later, from: 6, people: [6, 7, 8, 9, 10] }));
    expect(await ask(account, '11', period(at, at))).toMatchObject(released(100, 5));
    expect(await ask(account, '11', period(later, later))).toMatchObject(released(0, 5));
    expect(await ask(account, '11', period(at, later))).toMatchObject(released(50, 10));
    expect(await ask(account, '11', period('2024-03-01T12:00:00Z', at))).toMatchObject(released(100, 5));
    expect(await ask(account, '11', period(at, '2024-03-01T12:00:00.1234569Z'))).toMatchObject(released(100, 5));
    expect(await ask(account, '11', period('2024-03-01T12:00:00.1234569Z', later))).toMatchObject(released(50, 10));
    expect(await ask(account, '11', period('2024-03-01T12:00:00.123458Z', '2024-04-01T00:00:00Z'))).toMatchObject(suppressed(0));
  });

  it('Q25 the strictest threshold of the surveys asked for counts, whoever answered', async () => {
    const account = await fixture();
    await state(account, 'response', ...answers({ 11: [5, 5, 5, 5, 5, 5, 5] }));
    expect(await ask(account, '11')).toMatchObject(released(100, 7));
    expect(await ask(account, '11,21')).toMatchObject(suppressed(7));
    await state(account, 'response', ...answers({ 21: [3, 3, 3] }, { people: [8, 9, 10], from: 8, surveyId: 2 }));
    expect(await ask(account, '11,21')).toMatchObject(released(100, 10));
    expect(await ask(account, '21')).toMatchObject(suppressed(3));
  });

  it('Q27 Q28 one person with two answers is one; who skipped the question is none', async () => {
    const account = await fixture();
    await state(account, 'response', ...answers({ 11: [5, 5, 5, 5, null], 12: [1, 1, 1, 1, 1] }));
    expect(await ask(account, '11')).toMatchObject(suppressed(4));
    expect(await ask(account, '11,12')).toMatchObject(released(100, 5));
  });

  it('Q29 a changed threshold counts on the next call', async () => {
    const account = await fixture();
    await state(account, 'response', ...answers({ 11: [5, 5, 5, 5, 5, 1] }));
    expect(await ask(account, '11')).toMatchObject(released(83.33, 6));
    await state(account, 'survey', survey(1, { score_threshold: 8 }, 1));
    expect(await ask(account, '11')).toMatchObject(suppressed(6));
    await state(account, 'survey', survey(1, { score_threshold: 6 }, 2));
    expect(await ask(account, '11')).toMatchObject(released(83.33, 6));
  });

  it('Q31 each call is judged by itself', async () => {
    const account = await fixture();
    const at = '2024-03-01T12:00:00Z';
    await state(account, 'response', ...answers({ 11: [5, 5, 4, 4, 3, 2] }, { at }));
    const later = '2024-03-01T12:00:01Z';
    await state(account, 'response', ...answers({ 11: [1] }, { at: later, from: 7, people: [7] }));
    expect(await ask(account, '11', period(at, at))).toMatchObject(released(70.83, 6));
    expect(await ask(account, '11', period(at, later))).toMatchObject(released(60.71, 7));
  });

  it('Q34 a question whose ends are the same or not flagged contributes nothing', async () => {
    const account = await fixture();
    const same = { type: 'single_select', answer_options: scale(17, { worst: 2, best: 2 }, 1, 2, 3) };
    const unflagged = { type: 'single_select', answer_options: scale(18, {}, 1, 2, 3) };
    await state(account, 'question', question(17, same), question(18, unflagged));
    await state(account, 'response', ...answers({ 11: [5, 5, 5, 5, 1, null], 17: [1, 1, 1, 2, 2, 3], 18: [1, 1, 1, 1, 1, 1] }));
    for (const ids of ['17', '18', '17,18']) expect(await ask(account, ids)).toMatchObject(suppressed(0));
    expect(await ask(account, '11,17,18')).toMatchObject(released(80, 5));
  });

  it('Q38 without a threshold, or with 0, it is 5; nobody goes below 3', async () => {
    const account = await operator.createAccount();
    const thresholds = [undefined, 0, 1, 2, 3, 4];
    const surveys = thresholds.map((score_threshold, index) => survey(index + 1, { score_threshold: score_threshold ?? null }));
    const stars = (survey_id: number): Fact => question(survey_id, { ...STARS, survey_id, answer_options: optionsOf(survey_id) });
    await state(account, 'survey', ...surveys);
    await state(account, 'question', ...surveys.map((_, index) => stars(index + 1)));
    const needed: number[] = [];
    for (const [index] of thresholds.entries()) {
      const id = index + 1;
      for (let people = 1; needed[index] === undefined; people += 1) {
        await state(account, 'response', ...answers({ [id]: [5] }, { people: [people], from: 100 * id + people, surveyId: id }));
        const { body } = await ask(account, String(id));
        expect(body).toMatchObject({ respondents: people });
        if (!Object(body).suppressed) needed[index] = people;
      }
    }
    expect(needed).toEqual([5, 5, 3, 3, 3, 4]);
  });

  it('an answer of several options is worth the mean of theirs', async () => {
    const account = await fixture();
    const several = { answer_options: scale(19, { worst: 0, best: 4 }, 0, 1, 2, 3, 4) };
    await state(account, 'question', question(19, { ...several, type: 'multiple_select' }));
    const chosen = [[4], [0, 1], [0, 1, 2, 3, 4], [4, 3], [2, 1, 0]];
    await state(account, 'response', ...answers({ 19: chosen }));
    // 100, 12.5, 50, 87.5, 25.
    expect(await ask(account, '19')).toMatchObject(released(55, 5));
    await state(account, 'question', question(19, { ...several, type: 'ranked_select' }, 1));
    expect(await ask(account, '19')).toMatchObject(released(55, 5));
  });
});

describe('400', () => {
  it('Q14 eNPS questions and others, before any answer is looked at', async () => {
    const account = await fixture();
    const { errors } = expectProblem(await ask(account, '11,13'), 400);
    expect(errors).toMatchObject([{ parameter: 'question_ids' }]);
  });

  it('Q16 a question in words', async () => {
    const account = await fixture();
    for (const ids of ['15', '11,15', '13,15']) expectProblem(await ask(account, ids), 400);
  });

  it('Q17 A15 an unknown question and one of another account are told apart by nobody', async () => {
    const [account, other] = [await fixture(), await fixture()];
    await state(other, 'question', question(99, STARS));
    await state(other, 'response', ...answers({ 11: [5, 5, 5, 5, 5] }));
    const [unknown, foreign] = [await ask(account, '98'), await ask(account, '99')];
    expectProblem(unknown, 400);
    expect(withoutInstance(foreign)).toEqual(withoutInstance(unknown));
    expect(foreign.status).toBe(400);
    expect(await ask(account, '11')).toMatchObject(suppressed(0));
  });

  it('Q18 Q20 Q21 Q32 what is missing, empty, reversed or unknown', async () => {
    const account = await fixture();
    const { from, to } = ALL_TIME;
    const whole = { question_ids: '11', period_from: from, period_to: to };
    const bad = [
      {},
      { ...whole, question_ids: '' },
      { question_ids: '11', period_from: from },
      { question_ids: '11', period_to: to },
      { ...whole, period_from: to, period_to: from },
      { ...whole, survey_ids: '1' },
      { ...whole, attribute_option_ids: '1' },
      { ...whole, question_ids: '11,' },
    ];
    for (const parameters of bad) {
      expectProblem(await api.get(`/v1/scores?${new URLSearchParams(parameters).toString()}`, account.readKey), 400);
    }
    expect((await api.get(`/v1/scores?${new URLSearchParams(whole).toString()}`, account.readKey)).status).toBe(200);
  });

  it.each([
    ['T04', '2024-01-01'],
    ['T05', '2024-01-01T00:00:00'],
    ['T06', '2024-02-30T00:00:00Z'],
    ['T08', '2024-01-01%2000:00:00Z'],
    ['T10', '2024-01-01T00:00Z'],
    ['T11', '2024-01-01T24:00:00Z'],
    ['T15', '2024-01-01T00:00:00%2B25:00'],
    ['T19', '%FF2024-01-01T00:00:00Z'],
    ['T18', `2024-01-01T00:00:00Z&period_from=2024-01-01T00:00:00Z`],
  ])('%s period_from=%s', async (_, text) => {
    const { readKey } = await fixture();
    const answer = await api.get(`/v1/scores?question_ids=11&period_from=${text}&period_to=2030-01-01T00:00:00Z`, readKey);
    expect(expectProblem(answer, 400).errors).toMatchObject([{ parameter: 'period_from' }]);
  });

  it('T01 T03 T07 T12 T17 what RFC 3339 allows', async () => {
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
