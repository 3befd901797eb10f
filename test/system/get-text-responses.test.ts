import { describe, expect, it } from 'vitest';
import { cycle, question, response, survey, uuidOf } from '../support/facts.ts';
import { shareStack } from '../support/file-stack.ts';
import { describeListConventions } from '../support/list-conventions.ts';
import { C1, C2, C3, openTextFixture, textResponse, textResponses } from '../support/text-fixture.ts';

const files = await shareStack();
const { api, operator, db, importAndWait } = files;
const { fixture, state, ask, read, texts, people } = await openTextFixture(files);

const EMPTY = { total_count: 0, responses: [] };
const FIVE = ['text 1', 'text 2', 'text 3', 'text 4', 'text 5'];

describe('200', () => {
  it('pools every cycle with enough respondents, also an open one [TEXTS-SCOPE-1, TEXTS-THRESHOLD-1, TEXTS-THRESHOLD-5]', async () => {
    const account = await fixture();
    await state(account, 'cycle', cycle(C1, { closed_at: '2024-02-01T00:00:00Z' }), cycle(C2));
    await state(account, 'response', ...textResponses(5), ...textResponses(2, { from: 6, cycleId: C2 }));
    await state(account, 'response', ...textResponses(5, { from: 10, surveyId: 2, cycleId: C3, question: 25 }));
    const { total_count, responses } = await read(account);
    expect([total_count, responses.length]).toEqual([10, 10]);
    expect(await texts(account, `&survey_cycle_ids=${C1}`)).toEqual(FIVE);
    expect(await read(account, `&survey_cycle_ids=${C2}`)).toEqual(EMPTY);
    await state(account, 'response', ...textResponses(1, { from: 8, cycleId: C2 }));
    expect(await read(account)).toMatchObject({ total_count: 13 });
  });

  it('counts respondents, not answers [TEXTS-THRESHOLD-1]', async () => {
    const account = await fixture();
    const twice = [1, 2, 3, 4, 5, 6].map((n) => textResponse({ n, person: (n % 2) + 1, texts: { 15: `text ${n}` } }));
    await state(account, 'response', ...twice);
    expect(await read(account)).toEqual(EMPTY);
    await state(account, 'survey', survey(2, { text_threshold: 10 }, 1));
    const comments = textResponses(8, { from: 10, surveyId: 2, cycleId: C3, question: 25 });
    const more = [20, 21].map((n) => textResponse({ n, person: 10, surveyId: 2, cycleId: C3, texts: { 25: 'again' } }));
    await state(account, 'response', ...comments, ...more);
    expect(await read(account)).toEqual(EMPTY);
  });

  it('applies the threshold of its survey to each cycle separately [TEXTS-THRESHOLD-2]', async () => {
    const account = await fixture();
    await state(account, 'response', ...textResponses(2), ...textResponses(2, { from: 3, cycleId: C2 }));
    expect(await read(account)).toEqual(EMPTY);
    const other = await fixture();
    await state(
      other,
      'response',
      ...textResponses(3),
      ...textResponses(4, { from: 10, surveyId: 2, cycleId: C3, question: 25 }),
    );
    expect(await texts(other)).toEqual(['text 1', 'text 2', 'text 3']);
  });

  it('filters before the threshold, and ORs options [TEXTS-THRESHOLD-3, TEXTS-FILTER-2]', async () => {
    const account = await fixture();
    await people(account, [[1], [1, 3], [2], [2, 3], [1, 2]]);
    await state(account, 'response', ...textResponses(5));
    expect(await texts(account, '&attribute_option_ids=1')).toEqual(['text 1', 'text 2', 'text 5']);
    expect(await texts(account, '&attribute_option_ids=2,1')).toEqual(FIVE);
    await state(account, 'survey', survey(1, { text_threshold: 4 }, 1));
    expect(await read(account, '&attribute_option_ids=1')).toEqual(EMPTY);
    expect(await read(account, '&attribute_option_ids=1,2')).toMatchObject({ total_count: 5 });
  });

  it('filters by the options at the time of ingestion [TEXTS-FILTER-3, TEXTS-FILTER-2]', async () => {
    const account = await fixture();
    await people(account, [[1], [1], [1], [2], [2]]);
    await state(account, 'response', ...textResponses(5));
    await db.query('update imports.employee set option_ids = $2 where account_id = $1', [account.accountId, [2]]);
    await state(account, 'response', textResponse({ n: 1, texts: { 15: 'corrected' }, revision: 1 }));
    expect(await texts(account, '&attribute_option_ids=1')).toEqual(['corrected', 'text 2', 'text 3']);
    expect(await read(account, '&attribute_option_ids=2')).toEqual(EMPTY);
  });

  it('cycles, surveys and questions narrow each other [TEXTS-SCOPE-1, TEXTS-SCOPE-3, TEXTS-SCOPE-2]', async () => {
    const account = await fixture();
    const odd = '12345678-1234-1234-1234-12345678abcd';
    const both = [1, 2, 3].map((n) => textResponse({ n, texts: { 15: `text ${n}`, 16: `other ${n}` } }));
    await state(account, 'response', ...both, ...textResponses(3, { from: 7, cycleId: odd }));
    expect(await read(account, `&survey_ids=2&survey_cycle_ids=${C1}`)).toEqual(EMPTY);
    expect(await read(account, `&survey_ids=1,2,2&survey_cycle_ids=${C1}`)).toMatchObject({ total_count: 6 });
    expect(await read(account, `&survey_ids=1`)).toMatchObject({ total_count: 9 });
    expect(await texts(account, `&survey_cycle_ids=${odd.toUpperCase()}`)).toEqual(['text 7', 'text 8', 'text 9']);
    expect(await read(account, '&question_ids=11')).toEqual(EMPTY);
    expect(await texts(account, '&question_ids=11,16')).toEqual(['other 1', 'other 2', 'other 3']);
    expect(await read(account, '&question_ids=99&survey_ids=98')).toEqual(EMPTY);
  });

  it('the people behind what would be released, not those who answered something else [TEXTS-THRESHOLD-3]', async () => {
    const account = await fixture();
    await state(
      account,
      'response',
      ...textResponses(4, { question: 16 }),
      textResponse({ n: 5, texts: { 15: 'alone', 16: 'with others' } }),
    );
    expect(await read(account, '&question_ids=15')).toEqual(EMPTY);
    expect(await read(account)).toMatchObject({ total_count: 6 });
  });

  it('keeps the order stable, and pages without gaps or repeats [TEXTS-ORDER-1]', async () => {
    const account = await fixture();
    await state(account, 'response', ...textResponses(250));
    const whole = await read(account);
    expect(await read(account)).toEqual(whole);
    const paged = [];
    for (const offset of [0, 100, 200, 300]) {
      const { body } = await api.get(`/v1/text_responses?offset=${offset}`, account.readKey);
      paged.push(...Object(body).responses);
    }
    expect(paged).toEqual(whole.responses);
    expect(new Set(whole.responses.map(({ text }) => text)).size).toBe(250);
  });

  it('keeps the relative order of old answers when new ones arrive [TEXTS-ORDER-2]', async () => {
    const account = await fixture();
    await state(account, 'response', ...textResponses(40));
    const before = (await read(account)).responses;
    await state(account, 'response', ...textResponses(40, { from: 41 }));
    const after = (await read(account)).responses;
    expect(after).toHaveLength(80);
    const old = new Set(before.map(({ text }) => text));
    expect(after.filter(({ text }) => old.has(text))).toEqual(before);
  });

  it('orders by account: not by id, time or employee [TEXTS-ORDER-1]', async () => {
    const orders: number[][] = [];
    for (let n = 0; n < 2; n += 1) {
      const account = await fixture();
      await state(account, 'response', ...textResponses(60));
      orders.push((await read(account)).responses.map(({ text }) => Number(text.slice(5))));
    }
    expect(orders[0]).not.toEqual(orders[1]);
    // Of 59 adjacent pairs about 30 ascend in a random order; all or none in an order that reveals
    // time.
    for (const order of orders) {
      const rising = order.filter((number, index) => number > (order[index - 1] ?? Infinity)).length;
      expect(rising).toBeGreaterThan(12);
      expect(rising).toBeLessThan(47);
    }
  });

  it('does not put answers of one response closer together than others [TEXTS-ORDER-1]', async () => {
    const account = await fixture();
    const pairs = Array.from({ length: 400 }, (_, n) => textResponse({ n: n + 1, texts: { 15: `a ${n}`, 16: `b ${n}` } }));
    await state(account, 'response', ...pairs);
    const order = (await read(account)).responses.map(({ text }) => text.slice(2));
    const neighbours = order.filter((submission, index) => submission === order[index - 1]).length;
    // One on average.
    expect(neighbours).toBeLessThan(10);
  });

  it('topics by name and sentiment, and a removed one never again [TEXTS-FIELDS-1, TEXTS-TOPICS-1, TEXTS-TOPICS-2]', async () => {
    const account = await fixture();
    await state(account, 'response', ...textResponses(4));
    const on = (n: number, topic: string, sentiment: string | null, removed = false, revision = 0) => ({
      revision,
      line: n,
      topic_assignment: { response_id: uuidOf(n).toUpperCase(), question_id: 15, topic, sentiment, removed },
    });
    await state(account, 'topic_assignment', on(1, 'PAY', null), on(2, 'Pay', 'neutral'), on(3, 'pay', 'positive', true));
    await state(account, 'topic', { revision: 0, line: 1, topic: { name: 'Pay', description: null, keywords: {} } });
    await state(account, 'topic', { revision: 0, line: 2, topic: { name: 'Pay ', description: null, keywords: {} } });
    await state(account, 'topic_assignment', on(2, 'pay ', 'negative'), on(1, 'Pay', 'positive', false, -1));
    const shown = Object.fromEntries((await read(account)).responses.map(({ text, topics }) => [text, topics]));
    expect(shown).toEqual({
      'text 1': [{ name: 'Pay', sentiment: null }],
      'text 2': [
        { name: 'Pay', sentiment: 'neutral' },
        { name: 'Pay ', sentiment: 'negative' },
      ],
      'text 3': [],
      'text 4': [],
    });
    // The effect of renaming a topic.
    await db.query("update text.topic set name = 'Money', name_key = 'money' where account_id = $1 and name = 'Pay'", [
      account.accountId,
    ]);
    await state(account, 'topic_assignment', on(4, 'Pay', 'positive'));
    const names = (await read(account)).responses.flatMap(({ topics }) => topics.map(({ name }) => name));
    expect(names.sort()).toEqual(['Money', 'Money', 'Money', 'Pay ']);
  });

  it('verbatim and at once while masking is off [TEXTS-FIELDS-2]', async () => {
    const account = await fixture();
    const written = [
      'two\nlines\r\n\ttabbed ',
      '👩🏽‍🚀🇪🇺 ok',
      'שלום עולם',
      '"quoted" \\ <b>&amp;</b> \u2028',
      ' padded ',
      'x'.repeat(20_000),
    ];
    await state(account, 'response', ...written.map((text, n) => textResponse({ n: n + 1, texts: { 15: text } })));
    expect(await texts(account)).toEqual(written.toSorted());
  });

  it('no page, and one beyond the end, tell the count [TEXTS-PAGING-1, LISTS-OFFSET-1]', async () => {
    const account = await fixture();
    await state(account, 'response', ...textResponses(5));
    for (const query of ['limit=0', 'offset=5', 'offset=9007199254740991']) {
      const { body } = await api.get(`/v1/text_responses?${query}`, account.readKey);
      expect(body).toEqual({ total_count: 5, responses: [] });
    }
  });

  it('sends headers that reveal nothing about answers and forbid caching [TEXTS-FIELDS-1, AUTH-TENANCY-1]', async () => {
    const account = await fixture();
    await state(account, 'response', ...textResponses(5));
    const { headers } = await ask(account);
    expect(headers.get('cache-control')).toBe('private, no-store');
    for (const name of ['etag', 'last-modified', 'link']) expect(headers.get(name)).toBeNull();
  });

  it('ignores blank answers [TEXTS-FIELDS-2]', async () => {
    const account = await fixture();
    const blanks = ['', '   ', '\n\t\u00a0\u3000', '\u200b\ufeff', undefined];
    await state(account, 'response', ...textResponses(2), ...blanks.map((text, n) => blank(10 + n, text)));
    expect(await read(account)).toEqual(EMPTY);
    await state(account, 'response', ...textResponses(1, { from: 3 }));
    expect(await texts(account)).toEqual(['text 1', 'text 2', 'text 3']);
  });

  it('returns the same response below the threshold and for unknown, foreign and empty selections [TEXTS-THRESHOLD-4, AUTH-TENANCY-1]', async () => {
    const [account, other] = [await fixture(), await fixture()];
    await state(account, 'response', ...textResponses(2));
    await state(other, 'response', ...textResponses(5, { cycleId: C2 }));
    const queries = [`&survey_cycle_ids=${C1}`, `&survey_cycle_ids=${C2}`, `&survey_cycle_ids=${C3}`, '&survey_ids=2', ''];
    for (const query of queries) {
      const raw = await fetch(`http://${files.stack.services.gateway.address}/v1/text_responses?limit=5${query}`, {
        headers: { 'x-api-key': account.readKey },
      });
      expect([raw.status, await raw.text()]).toEqual([200, '{"total_count":0,"responses":[]}']);
    }
    expect(await read(other)).toMatchObject({ total_count: 5 });
  });

  it('a deleted question, an archived survey and people who left [TEXTS-SCOPE-4, IMPORT-IDENTITY-8]', async () => {
    const account = await fixture();
    const person = (n: number) => ({ import_id: `E${n}`, email: `e${n}@x.io`, firstname: 'F', lastname: 'L' });
    await importAndWait(account, [1, 2, 3, 4, 5].map(person));
    const by = (n: number) =>
      response(uuidOf(n), { cycle_id: C1, employee: { import_id: `E${n}` }, answers: [answer(`text ${n}`)] });
    await state(account, 'response', by(1), by(2), by(3));
    await importAndWait(account, [2, 3, 4, 5].map(person));
    await state(account, 'question', question(15, { is_deleted: true }, 1));
    await state(account, 'survey', survey(1, { text_threshold: 3, is_archived: true, is_deactivated: true }, 1));
    expect(await texts(account)).toEqual(['text 1', 'text 2', 'text 3']);
  });

  it('applies a changed threshold from the next call on', async () => {
    const account = await fixture();
    await state(account, 'response', ...textResponses(5));
    expect(await read(account)).toMatchObject({ total_count: 5 });
    await state(account, 'survey', survey(1, { text_threshold: 6 }, 1));
    expect(await read(account)).toEqual(EMPTY);
    await state(account, 'survey', survey(1, { text_threshold: 5 }, 2));
    expect(await read(account)).toMatchObject({ total_count: 5 });
  });

  it('a corrected response replaces its answers, in any order, however often', async () => {
    const account = await fixture();
    const first = textResponse({ n: 1, texts: { 15: 'old', 16: 'taken back' } });
    const second = textResponse({ n: 1, person: 4, cycleId: C2, texts: { 15: 'new' }, revision: 1 });
    const others = textResponses(3, { from: 5, cycleId: C2 });
    await state(account, 'response', second, ...others);
    await state(account, 'response', first, second, ...others);
    expect(await texts(account)).toEqual(['new', 'text 5', 'text 6', 'text 7']);
    await state(account, 'response', textResponse({ n: 1, cycleId: C2, texts: {}, revision: 2 }));
    expect(await texts(account)).toEqual(['text 5', 'text 6', 'text 7']);
  });

  it('defers responses of employees whom no import has created yet', async () => {
    const account = await fixture();
    const by = (n: number) =>
      response(uuidOf(n), { cycle_id: C1, employee: { import_id: `E${n}` }, answers: [answer(`text ${n}`)] });
    await state(account, 'response', by(1), by(2), by(3));
    expect(await read(account)).toEqual(EMPTY);
    const person = (n: number) => ({ import_id: `E${n}`, email: `e${n}@x.io`, firstname: 'F', lastname: 'L' });
    await importAndWait(account, [1, 2, 3].map(person));
    await expect.poll(() => texts(account)).toEqual(['text 1', 'text 2', 'text 3']);
  });

  it('releases a cycle whose responses name two surveys when both permit it', async () => {
    const account = await fixture();
    await state(account, 'response', ...textResponses(3), ...textResponses(4, { from: 10, surveyId: 2, question: 25 }));
    expect(await read(account)).toEqual(EMPTY);
    await state(account, 'response', ...textResponses(1, { from: 14, surveyId: 2, question: 25 }));
    expect(await read(account)).toMatchObject({ total_count: 8 });
  });
});

function answer(text: string) {
  return { question_id: 15, option_ids: [], text };
}

function blank(n: number, text: string | undefined) {
  return response(uuidOf(n), {
    cycle_id: C1,
    employee: { id: n },
    answers: [{ question_id: 15, option_ids: [], text: text ?? null }],
  });
}

const listed = await operator.createAccount();
await state(listed, 'survey', survey(1));
await state(listed, 'question', question(15));
await state(listed, 'response', ...textResponses(250));

describeListConventions(files, {
  path: '/v1/text_responses',
  array: 'responses',
  account: listed,
  identityOf: ({ text }) => text,
});
