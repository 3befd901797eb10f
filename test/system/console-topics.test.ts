import { afterAll, expect, it } from 'vitest';
import { startTestConsole } from '../support/console.ts';
import { arrangeEmployee } from '../support/employees.ts';
import { cycle, uuidOf } from '../support/facts.ts';
import { shareStack } from '../support/file-stack.ts';
import { C1, C2, openTextFixture, textResponses } from '../support/text-fixture.ts';
import { decision, topicFact } from '../support/topics.ts';

const files = await shareStack();
const { fixture, state, read } = await openTextFixture(files);
const web = await startTestConsole(files.stack, files.operator);
afterAll(() => web[Symbol.asyncDispose]());

const ADMIN = { id: 'admin', name: 'Admin', email: 'admin@x.io' };

it('shows, reassigns and withholds only released texts [TEXTS-THRESHOLD-1, TEXTS-WITHHELD-1]', async () => {
  const account = await fixture();
  await arrangeEmployee(files.db, account.accountId, { id: 7_000, email: ADMIN.email, role: 'Admin' });
  await web.bind(account.accountId);
  await state(account, 'topic', topicFact('Text'), topicFact('Canteen'));
  await state(account, 'response', ...textResponses(4), ...textResponses(2, { from: 5, cycleId: C2 }));
  await state(account, 'topic_assignment', ...[1, 2, 3, 4, 5, 6].map((n) => decision(uuidOf(n), 'Text')));
  const client = await web.signIn(ADMIN);
  const at = (path: string): string => `/a/${account.accountId}${path}`;
  const topics = await client.get(at('/topics'));
  const idOf = (name: string): string => new RegExp(`/topics/(\\d+)">${name}<`).exec(topics.text)?.[1] ?? '';
  const [about, canteen] = [idOf('Text'), idOf('Canteen')];
  // The page omits counts that take longer than 2 s.
  await expect.poll(async () => (await client.get(at('/topics'))).text).toMatch(/Text[^]*?class="num"[^>]*>4</);
  const path = at(`/topics/${about}/answers`);
  const page = await client.get(path);
  const texts = ({ text }: { text: string }): string[] =>
    [...text.matchAll(/<mark>text<\/mark> (\d)</g)].map(([, n = '']) => n).toSorted();
  expect(texts(page)).toEqual(['1', '2', '3', '4']);
  expect(await client.submit(path, path, { into: canteen })).toMatchObject({ status: 422 });
  const [first = '', second = ''] = [...page.text.matchAll(/name="answer" value="([^"]+)"/g)].map(([, value = '']) => value);
  const moved = new URLSearchParams([
    ['answer', first],
    ['answer', second],
    ['into', canteen],
  ]);
  expect(await client.submit(path, path, moved)).toMatchObject({ status: 303, location: `${path}?done=reassigned` });
  expect(texts(await client.get(path))).toHaveLength(2);
  const { responses } = await read(account);
  expect(responses.filter((each) => each.topics.some(({ name }) => name === 'Canteen'))).toHaveLength(2);
  const again = await client.submit(path, path, moved);
  expect(again).toMatchObject({ status: 422 });
  expect(again.text).toContain('Nothing was changed');
  expect((await client.get(at('/audit'))).text).toContain('Texts reassigned to another topic');

  const [third = ''] = [...(await client.get(path)).text.matchAll(/name="answer" value="([^"]+)"/g)].map(
    ([, value = '']) => value,
  );
  const withheld = { answer: third, action: 'withhold', into: 'none' };
  expect(await client.submit(path, path, { ...withheld, reason: '' })).toMatchObject({ status: 422 });
  expect(await client.submit(path, path, { ...withheld, reason: 'names a colleague' })).toMatchObject({
    status: 303,
    location: `${path}?done=withheld`,
  });
  expect(texts(await client.get(path))).toHaveLength(1);
  expect((await read(account)).total_count).toBe(3);
  const withheldPage = at('/withheld');
  const list = (await client.get(withheldPage)).text;
  expect(list).toMatch(/<span class="text">text \d<[^]*1–1 of 1/);
  expect(list).not.toMatch(/text [56]</);
  const release = { answer: third, reason: 'named nobody' };
  expect((await client.submit(withheldPage, withheldPage, { reason: 'named nobody' })).text).toContain(
    'Select one text to release',
  );
  expect((await client.submit(withheldPage, withheldPage, { ...release, reason: '' })).text).toMatch(/value="-?\d+"\s+checked/);
  for (const answer of [first, '9'.repeat(19), `-${'9'.repeat(19)}`, 'x', ''])
    expect(await client.submit(withheldPage, withheldPage, { ...release, answer })).toMatchObject({ status: 422 });
  const beyond = { answer: '9'.repeat(19), into: canteen };
  expect(await client.submit(path, path, beyond)).toMatchObject({ status: 422 });
  for (const status of [303, 422]) expect(await client.submit(withheldPage, withheldPage, release)).toMatchObject({ status });
  expect((await client.get(withheldPage)).text).toContain('No text is withheld');
  expect((await read(account)).total_count).toBe(4);
  const hidden = { denied: 'TEXT\n', reason: 'a name' };
  const settings = [at('/settings'), at('/settings')] as const;
  expect((await client.submit(...settings, { ...hidden, reason: '' })).text).toContain('Enter a reason');
  expect((await client.submit(...settings, { ...hidden, denied: '-' })).text).toContain('2 to 100 characters');
  expect(await client.submit(...settings, hidden)).toMatchObject({ status: 303 });
  expect((await read(account)).responses.map(({ text }) => text)).toContainEqual(expect.stringMatching(/^\[NAME\] \d$/));
  expect((await client.get(at('/audit'))).text).toContain('words always hidden: 0 → 1');
  const audit = (await client.get(at('/audit'))).text;
  expect(audit).toMatch(/Answer withheld[^]*?names a colleague|names a colleague[^]*?Answer withheld/);
  expect(audit).toMatch(/named nobody[^]*Answer withheld|Answer released again[^]*Answer withheld/);
  // One cycle more passes the threshold.
  expect((await client.get(at(`/topics/${about}`))).text).not.toContain('Over cycles');
  await state(account, 'cycle', ...[C1, C2].map((id, n) => cycle(id, { opened_at: `2026-0${n + 1}-05T00:00:00Z` })));
  await state(account, 'response', ...textResponses(1, { from: 7, cycleId: C2 }));
  await state(account, 'topic_assignment', decision(uuidOf(7), 'Text'));
  // The page omits what takes longer than 2 s.
  const overCycles = /"Released texts: 2 cycles, at most 3 texts"[^]*opened on 5 Jan 2026: 2<[^]*opened on 5 Feb 2026: 3</;
  await expect.poll(async () => (await client.get(at(`/topics/${about}`))).text, { timeout: 30_000 }).toMatch(overCycles);
  expect((await client.get(at(`/topics/${about}`))).text).toContain('counted in 7 released texts');
});
