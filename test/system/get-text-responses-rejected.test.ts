import { describe, expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { expectProblem } from '../support/api.ts';
import { shareStack } from '../support/file-stack.ts';
import { withoutInstance } from '../support/score-fixture.ts';
import { C1, openTextFixture, textResponses } from '../support/text-fixture.ts';

const files = await shareStack();
const { fixture, state, ask, read, people, settings } = await openTextFixture(files);

async function rejected(account: Account, query: string): Promise<object> {
  const answer = await ask(account, query);
  const { errors } = expectProblem(answer, 400);
  expect(errors).toMatchObject([{ parameter: query.slice(1, query.indexOf('=')) }]);
  return withoutInstance(answer);
}

describe('400', () => {
  it('whatever is no option of the chosen attribute, in one wording [TEXTS-FILTER-1]', async () => {
    const [account, other] = [await fixture(), await fixture()];
    const unconfigured = await rejected(account, '&attribute_option_ids=1');
    await people(account, [[1], [1], [2, 3]]);
    await people(other, [[1]]);
    await state(account, 'response', ...textResponses(3));
    expect(await read(account, '&attribute_option_ids=1,2')).toMatchObject({ total_count: 3 });
    for (const ids of ['1,3', '3', '1,777', '777', '0', '9007199254740991']) {
      expect(await rejected(account, `&attribute_option_ids=${ids}`)).toEqual(unconfigured);
    }
    await settings(account, { text_filter_attribute: '' });
    for (const ids of ['1', '777']) expect(await rejected(account, `&attribute_option_ids=${ids}`)).toEqual(unconfigured);
  });

  it('what is malformed or empty never means everything [TEXTS-SCOPE-3, ERRORS-QUERY-2]', async () => {
    const account = await fixture();
    await state(account, 'response', ...textResponses(3));
    const ids = ['', ',', '1,', ',1', '1,,2', 'a', '1.5', '-1', '+1', '1e2', '%201', '9007199254740992'];
    for (const name of ['survey_ids', 'question_ids', 'attribute_option_ids']) {
      for (const value of ids) await rejected(account, `&${name}=${value}`);
    }
    const cycles = ['', 'abc', `${C1},`, `${C1},abc`, `{${C1}}`, C1.replaceAll('-', ''), `${C1}0`];
    for (const value of cycles) expect(await rejected(account, `&survey_cycle_ids=${value}`)).toMatchObject({ status: 400 });
  });

  it('what the endpoint does not know, and a page too large [ERRORS-QUERY-1, TEXTS-PAGING-1]', async () => {
    const account = await fixture();
    const unknown = ['created_after=2024-01-01T00:00:00Z', 'period_from=2024-01-01T00:00:00Z', 'topic=Pay', 'survey_id=1'];
    for (const query of unknown) await rejected(account, `&${query}`);
    expectProblem(await files.api.get('/v1/text_responses?limit=1001', account.readKey), 400);
    expectProblem(await files.api.get('/v1/text_responses?survey_ids=1&survey_ids=2', account.readKey), 400);
  });
});

describe('431', () => {
  it('rejects a list that does not fit into a URL, and accepts any shorter one [ERRORS-SHAPE-1]', async () => {
    const account = await fixture();
    await state(account, 'response', ...textResponses(3));
    const many = Array.from({ length: 2_000 }, (_, index) => index + 10).join(',');
    expect(await read(account, `&question_ids=${many}`)).toMatchObject({ total_count: 3 });
    expectProblem(await ask(account, `&question_ids=${many},${many}`), 431);
  });
});
