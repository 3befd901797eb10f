import { describe, expect, it } from 'vitest';
import { openIntake, question } from '../support/facts.ts';
import { shareStack } from '../support/file-stack.ts';
import { describeListConventions, list } from '../support/list-conventions.ts';

const stack = await shareStack();
const { api, operator } = stack;
const { publishFacts } = await openIntake(stack.stack);
const account = await operator.createAccount();
await publishFacts(
  account.accountId,
  'question',
  Array.from({ length: 250 }, (_, index) => question(250 - index)),
);

const questionsOf = (own: typeof account) => list(stack, own, '/v1/questions', 'questions');
const option = (id: number, value: number) => ({
  id,
  name: { en: `Option ${id}` },
  value,
  is_maximum: value === 10,
  is_minimum: value === 0,
});

describeListConventions(stack, { path: '/v1/questions', array: 'questions', account, identityOf: ({ id }) => id });

describe('200', () => {
  it('is in the order of ids', async () => {
    const ids = (await questionsOf(account)).rows.map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
  });

  it('has the fields of a question in the order of the contract [LISTS-ENVELOPE-1]', async () => {
    const own = await operator.createAccount();
    const answer_options = [{ id: 4, name: { en: 'Good' }, value: 2.5, is_maximum: true, is_minimum: false }];
    await publishFacts(own.accountId, 'question', [
      question(7, {
        name: { en: 'How?', de: 'Wie?' },
        type: 'stars',
        answer_options: answer_options.map((option) => ({ ...option, counts: true })),
      }),
    ]);
    expect(JSON.stringify((await api.get('/v1/questions', own.readKey)).body)).toBe(
      '{"total_count":1,"questions":[{"id":7,"name":{"de":"Wie?","en":"How?"},"type":"stars","is_deleted":false,' +
        '"answer_options":[{"id":4,"name":{"en":"Good"},"value":2.5,"is_maximum":true,"is_minimum":false}]}]}',
    );
  });

  it('includes deleted questions [QUESTIONS-LIST-1]', async () => {
    const own = await operator.createAccount();
    await publishFacts(own.accountId, 'question', [question(1, { is_deleted: true }), question(2)]);
    expect((await questionsOf(own)).rows).toMatchObject([
      { id: 1, is_deleted: true },
      { id: 2, is_deleted: false },
    ]);
  });

  it('returns the full option list of nps in the stored order, and none for textfield [QUESTIONS-LIST-2]', async () => {
    const own = await operator.createAccount();
    const options = Array.from({ length: 11 }, (_, value) => option(100 - value, value));
    await publishFacts(own.accountId, 'question', [
      question(1, { type: 'nps', answer_options: options }),
      question(2, { type: 'textfield', answer_options: options }),
      question(3, { type: 'hologram', answer_options: options.slice(0, 1) }),
    ]);
    const { rows } = await questionsOf(own);
    expect(rows.map((row) => row['answer_options'])).toEqual([options, [], options.slice(0, 1)]);
    expect(rows[2]).toMatchObject({ type: 'hologram' });
  });

  it('lists a question whose survey has not come, and shows nothing of another account', async () => {
    const own = await operator.createAccount();
    await publishFacts(own.accountId, 'question', [question(1, { survey_id: 404 })]);
    expect((await questionsOf(own)).totalCount).toBe(1);
    expect((await questionsOf(await operator.createAccount())).totalCount).toBe(0);
  });
});
