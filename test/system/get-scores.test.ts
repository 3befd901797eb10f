import type { Fact } from '@survey/proto/intake/v1/intake.ts';
import { describe, expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { ALL_TIME, answers, period } from '../support/answers.ts';
import { expectProblem } from '../support/api.ts';
import { cycle, question, survey, uuidOf } from '../support/facts.ts';
import { shareStack } from '../support/file-stack.ts';
import { optionsOf, scale } from '../support/scales.ts';
import { openScoreFixture, released, STARS, suppressed } from '../support/score-fixture.ts';

const AS_OPERATOR = { caller: { requestId: 'test' }, deadlineMs: 10_000 };
const files = await shareStack();
const { api, db, operator } = files;
const { fixture, state, ask } = await openScoreFixture(files);

describe('200', () => {
  it('is released when exactly the threshold of five respondents answers 5, 4, 3, 2, 1 [SCORES-VALUE-1, SCORES-THRESHOLD-1, SCORES-CACHE-1]', async () => {
    const account = await fixture();
    await state(account, 'response', ...answers({ 11: [5, 4, 3, 2, 1] }));
    const answer = await ask(account, '11');
    expect(answer).toMatchObject(released(50, 5));
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
    expect(answer.headers.get('etag')).toBeNull();
  });

  it('is suppressed for four respondents and for none, and shows the count [SCORES-THRESHOLD-1]', async () => {
    const account = await fixture();
    expect(await ask(account, '11')).toMatchObject(suppressed(0));
    await state(account, 'response', ...answers({ 11: [5, 5, 5, 5] }));
    expect(await ask(account, '11')).toMatchObject(suppressed(4));
  });

  it('counts every response and each respondent once, to two decimals [SCORES-RESPONDENTS-1, SCORES-VALUE-4]', async () => {
    const account = await fixture();
    await state(account, 'response', ...answers({ 11: [5, 5, 5, 5, 5, 1, 1, 1, 1] }, { people: [1, 1, 1, 1, 1, 2, 3, 4, 5] }));
    expect(await ask(account, '11')).toMatchObject(released(55.56, 5));
    await state(account, 'response', ...answers({ 12: [1, 1, 5, 5, 5, 5] }, { from: 10 }));
    expect(await ask(account, '12')).toMatchObject(released(33.33, 6));
  });

  it('takes the flagged options as ends, whichever value is larger [SCORES-VALUE-1]', async () => {
    const account = await fixture();
    const tens = { type: 'single_select', answer_options: scale(16, { worst: 10, best: 30 }, 10, 20, 30) };
    await state(account, 'question', question(16, tens));
    await state(account, 'response', ...answers({ 12: [1, 1, 1, 1, 1], 16: [20, 20, 20, 20, 20] }));
    expect(await ask(account, '12')).toMatchObject(released(100, 5));
    expect(await ask(account, '16')).toMatchObject(released(50, 5));
  });

  it('eNPS is promoters less detractors, from -100 to 100 [SCORES-VALUE-2]', async () => {
    const account = await fixture();
    await state(account, 'response', ...answers({ 13: [9, 10, 9, 10, 9, 7, 8, 0, 6, 3], 14: [0, 1, 2, 3, 4, 5, 6, 0, 0, 6] }));
    expect(await ask(account, '13')).toMatchObject(released(20, 10, 'enps'));
    expect(await ask(account, '14')).toMatchObject(released(-100, 10, 'enps'));
  });

  it('weights several questions equally, however many answers each has [SCORES-VALUE-3]', async () => {
    const account = await fixture();
    const first = answers({ 13: [9, 10, 7, 0] });
    const second = answers({ 14: [9, 8] }, { people: [5, 6], from: 5 });
    await state(account, 'response', ...first, ...second);
    expect(await ask(account, '13,14')).toMatchObject(released(37.5, 6, 'enps'));
  });

  it('treats the questions as a set [SCORES-QUERY-1]', async () => {
    const account = await fixture();
    await state(account, 'response', ...answers({ 11: [5, 4, 3, 2, 2], 12: [1, 1, 1, 1, 1] }));
    expect(await ask(account, '11,11')).toMatchObject(released(55, 5));
    expect(await ask(account, '12,11')).toEqual(expect.objectContaining(released(77.5, 5)));
    expect(await ask(account, '0011,012,11')).toMatchObject(released(77.5, 5));
  });

  it('includes both ends of the period, to the microsecond [SCORES-PERIOD-1, DATETIMES-FORMAT-5]', async () => {
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

  it('applies the strictest threshold of the requested surveys, whatever the respondents [SCORES-THRESHOLD-2]', async () => {
    const account = await fixture();
    await state(account, 'response', ...answers({ 11: [5, 5, 5, 5, 5, 5, 5] }));
    expect(await ask(account, '11')).toMatchObject(released(100, 7));
    expect(await ask(account, '11,21')).toMatchObject(suppressed(7));
    await state(account, 'response', ...answers({ 21: [3, 3, 3] }, { people: [8, 9, 10], from: 8, surveyId: 2 }));
    expect(await ask(account, '11,21')).toMatchObject(released(100, 10));
    expect(await ask(account, '21')).toMatchObject(suppressed(3));
  });

  it('counts only the responses of the surveys that are named, by their thresholds [SCORES-QUERY-6, SCORES-THRESHOLD-2]', async () => {
    const account = await fixture();
    await state(account, 'survey', survey(3, { score_threshold: 3 }));
    await state(account, 'response', ...answers({ 11: [5, 5, 5, 5, 5] }));
    const elsewhere = { people: [6, 7, 8, 9, 10, 11, 12], from: 6, surveyId: 2 };
    await state(account, 'response', ...answers({ 11: [1, 1, 1, 1, 1, 1, 1] }, elsewhere));
    await state(account, 'response', ...answers({ 11: [3, 3, 3] }, { people: [13, 14, 15], from: 20, surveyId: 3 }));
    const { from, to } = ALL_TIME;
    const of = (surveyIds: string) =>
      api.get(`/v1/scores?question_ids=11&period_from=${from}&period_to=${to}&survey_ids=${surveyIds}`, account.readKey);
    expect(await of('1')).toMatchObject(released(100, 5));
    expect(await of('2')).toMatchObject(suppressed(7));
    expect(await of('3')).toMatchObject(released(50, 3));
    expect(await of('1,3')).toMatchObject(released(81.25, 8));
    expect(await of('1,2,3')).toMatchObject(released(43.33, 15));
    expect(await of('1,99')).toMatchObject(released(100, 5));
    expect(await ask(account, '11')).toMatchObject(released(43.33, 15));
    expect(await of('99')).toMatchObject(suppressed(0));
    // Answers may arrive before their survey, whose threshold is then the default.
    await state(account, 'response', ...answers({ 11: [1, 1, 1, 1] }, { people: [16, 17, 18, 19], from: 30, surveyId: 4 }));
    expect(await of('4')).toMatchObject(suppressed(4));
    expect(await of('3,4')).toMatchObject(released(21.43, 7));
  });

  it('one person with two answers is one; who skipped the question is none [SCORES-RESPONDENTS-1, SCORES-RESPONDENTS-2]', async () => {
    const account = await fixture();
    await state(account, 'response', ...answers({ 11: [5, 5, 5, 5, null], 12: [1, 1, 1, 1, 1] }));
    expect(await ask(account, '11')).toMatchObject(suppressed(4));
    expect(await ask(account, '11,12')).toMatchObject(released(100, 5));
  });

  it('a changed threshold counts on the next call [SCORES-THRESHOLD-4]', async () => {
    const account = await fixture();
    await state(account, 'response', ...answers({ 11: [5, 5, 5, 5, 5, 1] }));
    expect(await ask(account, '11')).toMatchObject(released(83.33, 6));
    await state(account, 'survey', survey(1, { score_threshold: 8 }, 1));
    expect(await ask(account, '11')).toMatchObject(suppressed(6));
    await state(account, 'survey', survey(1, { score_threshold: 6 }, 2));
    expect(await ask(account, '11')).toMatchObject(released(83.33, 6));
  });

  it('applies the threshold to each call separately [SCORES-THRESHOLD-5]', async () => {
    const account = await fixture();
    const at = '2024-03-01T12:00:00Z';
    await state(account, 'response', ...answers({ 11: [5, 5, 4, 4, 3, 2] }, { at }));
    const later = '2024-03-01T12:00:01Z';
    await state(account, 'response', ...answers({ 11: [1] }, { at: later, from: 7, people: [7] }));
    expect(await ask(account, '11', period(at, at))).toMatchObject(released(70.83, 6));
    expect(await ask(account, '11', period(at, later))).toMatchObject(released(60.71, 7));
  });

  it('ignores a question whose ends are equal or not flagged [SCORES-VALUE-5]', async () => {
    const account = await fixture();
    const same = { type: 'single_select', answer_options: scale(17, { worst: 2, best: 2 }, 1, 2, 3) };
    const unflagged = { type: 'single_select', answer_options: scale(18, {}, 1, 2, 3) };
    await state(account, 'question', question(17, same), question(18, unflagged));
    await state(account, 'response', ...answers({ 11: [5, 5, 5, 5, 1, null], 17: [1, 1, 1, 2, 2, 3], 18: [1, 1, 1, 1, 1, 1] }));
    for (const ids of ['17', '18', '17,18']) expect(await ask(account, ids)).toMatchObject(suppressed(0));
    expect(await ask(account, '11,17,18')).toMatchObject(released(80, 5));
  });

  it('uses threshold 5 when it is missing or 0, and never less than 3 [SCORES-THRESHOLD-3]', async () => {
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

describe('disclosure guard', () => {
  const strict = { masking_categories: null, disclosure_guard: 'strict' };
  const texts = ({ readKey }: Account) => api.get('/v1/text_responses', readKey);

  it('releases scores and texts of settled cycles only, and segments of them [GUARD-SCORES-4] [GUARD-TEXTS-1] [GUARD-SEGMENTS-2]', async () => {
    const account = await fixture();
    await state(account, 'cycle', cycle(uuidOf(1), { closed_at: '2024-01-31T00:00:00Z' }));
    const facts = answers({ 11: [5, 4, 3, 2, 1, 3, 3] });
    for (const { response } of facts) response?.answers.push({ question_id: 15, option_ids: [], text: 'Fine.' });
    await state(account, 'response', ...facts);
    expect((await ask(account, '11')).headers.get('disclosure-guard')).toBeNull();
    expect((await texts(account)).body).toMatchObject({ total_count: 7 });
    await operator.admin.setSettings({ account_id: account.accountId, ...strict }, AS_OPERATOR);
    expect((await texts(account)).body).toMatchObject({ total_count: 0 });
    await expect.poll(() => ask(account, '11')).toMatchObject(released(50, 5));
    expect((await ask(account, '11')).headers.get('disclosure-guard')).toBe(
      'strict; cycles=1; from="2024-01-01T00:00:00.000000Z"; to="2024-01-31T00:00:00.000000Z"',
    );
    const released7 = { body: { total_count: 7 } };
    await expect.poll(() => texts(account)).toMatchObject(released7);
    const { settings, cycles } = await operator.admin.reportAnonymity(
      { account_id: account.accountId, from: '2024-01-31', to: '2024-01-31' },
      AS_OPERATOR,
    );
    expect(settings).toMatchObject([{ disclosure_guard: 'strict', guard_settling_hours: 24 }]);
    expect(cycles).toMatchObject([
      { day: '2024-01-31', scores_released: 1, scores_too_few: 0, texts_released: 1, texts_withheld: 0 },
    ]);
    const { from, to } = ALL_TIME;
    const segment = (query: string) =>
      api.get(`/v1/scores?question_ids=11&period_from=${from}&period_to=${to}&${query}`, account.readKey);
    const participation = {};
    expect(await segment('survey_ids=1&participation=true')).toMatchObject({ status: 200, body: { score: 50, participation } });
    expect(await segment('survey_ids=2')).toMatchObject(suppressed(0));
    expect(expectProblem(await segment('attribute_option_ids=1'), 400).errors).toMatchObject([
      { parameter: 'attribute_option_ids' },
    ]);
    const january = period('2024-01-01T00:00:00Z', '2024-01-30T00:00:00Z');
    const early = await ask(account, '11', january);
    expect(early).toMatchObject(suppressed(0));
    expect(early.headers.get('disclosure-guard')).toBe('strict; cycles=0');
  });

  it('returns an error without its blocks, and releases nothing of an expired cycle [GUARD-BLOCKS-5] [DATA-RETENTION-2]', async () => {
    const account = await fixture();
    const { accountId } = account;
    await state(account, 'cycle', cycle(uuidOf(1), { closed_at: '2024-01-31T00:00:00Z' }));
    await state(account, 'response', ...answers({ 11: [5, 4, 3, 2, 1, 3, 3] }));
    await operator.admin.setSettings({ account_id: accountId, ...strict }, AS_OPERATOR);
    const score = () => ask(account, '11');
    const blocks = () => db.query('select from scoring.block where account_id = $1', [accountId]);
    await expect.poll(async () => (await blocks()).rowCount).toBe(1);
    await db.query('revoke select on scoring.block from survey_scoring');
    expect(await score()).toMatchObject({ status: 500 });
    await db.query('grant select on scoring.block to survey_scoring');
    await expect.poll(score).toMatchObject(released(50, 5));
    await operator.admin.setSettings({ account_id: accountId, masking_categories: null, retain_answers_days: 30 }, AS_OPERATOR);
    await expect.poll(score).toMatchObject(suppressed(0));
    expect((await blocks()).rowCount).toBe(0);
  });
});
