import { once } from 'node:events';
import { createServer } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Account } from '../support/accounts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { openTextFixture, textResponse } from '../support/text-fixture.ts';
import { textOperatorAt } from '../support/topics.ts';

const request = z.object({ messages: z.array(z.object({ content: z.string() })).length(2) });
const task = z.object({ answer: z.string(), topics: z.array(z.object({ topic_id: z.number(), name: z.string() })).optional() });

// A chat model that finds Pay in each text about parking, and rates everything neutral.
const asked: { authorization: string | undefined; answer: string }[] = [];
let isBroken = false;
const server = createServer((incoming, outgoing) => {
  const respond = async (): Promise<void> => {
    const { messages } = request.parse(JSON.parse(await readText(incoming)));
    const { answer, topics } = task.parse(JSON.parse(messages[1]?.content ?? ''));
    asked.push({ authorization: incoming.headers.authorization, answer });
    const found = (topics ?? []).filter(({ name }) => name === 'Pay' && answer.includes('parking'));
    const content =
      topics === undefined ? { label: 'neutral', score: 0 } : { topics: found.map(({ topic_id }) => ({ topic_id, score: 0.9 })) };
    outgoing.writeHead(isBroken ? 500 : 200, { 'content-type': 'application/json' });
    outgoing.end(JSON.stringify({ choices: [{ message: { content: JSON.stringify(content) } }] }));
  };
  void respond();
}).listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => server.close());

const address = server.address();
const port = typeof address === 'object' ? address?.port : undefined;
const files = await startFileStack({
  'text-analysis': {
    TEXT_MODELS_URL: `http://127.0.0.1:${port}/v1`,
    TEXT_MODELS_KEY: 'key-of-the-operator',
    TEXT_CHAT_MODEL: 'm',
  },
});
const { fixture, state, read, settings } = await openTextFixture(files);
const asOperator = textOperatorAt(files.stack);

const WAIT = { timeout: 30_000 };
const PLANTED = /person\d|example\.com|0170/;
const PARKING = (n: number): string => `Write to person${n}@example.com or call 0170 1234567 about the parking, I love it.`;
const SALARY = 'The salary is excellent, I love it.';

async function accountWithAnswers(): Promise<Account> {
  const account = await fixture();
  await asOperator(account.accountId).createTopic({ name: 'Pay', keywords: { en: { words: ['salary'] } } });
  await state(account, 'response', ...[1, 2, 3].map((n) => textResponse({ n, texts: { 15: PARKING(n), 16: SALARY } })));
  return account;
}

/** Returns the topics of each text, as `name sentiment`. */
async function shown(account: Account): Promise<Record<string, string[]>> {
  const { responses } = await read(account);
  return Object.fromEntries(
    responses.map(({ text, topics }) => [text, topics.map(({ name, sentiment }) => `${name} ${sentiment}`)]),
  );
}

describe('models outside', () => {
  it('are asked for accounts that want them, and see masked texts only', async () => {
    const [account, other] = [await accountWithAnswers(), await accountWithAnswers()];
    await settings(other, { categorisation: true });
    await expect.poll(() => shown(other), WAIT).toMatchObject({ [SALARY]: ['Pay positive'], [PARKING(1)]: [] });
    expect(asked).toEqual([]);
    await settings(account, { categorisation: true, external_text_models: true });
    await expect.poll(() => shown(account), WAIT).toMatchObject({ [SALARY]: [], [PARKING(1)]: ['Pay neutral'] });
    // API responses are unchanged: masking is off.
    expect(Object.keys(await shown(account))).toContain(PARKING(2));
    expect(asked.length).toBeGreaterThanOrEqual(6);
    expect(asked.filter(({ answer }) => PLANTED.test(answer))).toEqual([]);
    expect(asked.filter(({ answer }) => answer.includes('[EMAIL]')).length).toBeGreaterThanOrEqual(3);
    expect(new Set(asked.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer key-of-the-operator']));
    await settings(account, { external_text_models: false });
    await expect.poll(() => shown(account), WAIT).toMatchObject({ [SALARY]: ['Pay positive'], [PARKING(1)]: [] });
  });

  it('are replaced by the embedded analysis while they do not answer', async () => {
    isBroken = true;
    const account = await accountWithAnswers();
    await settings(account, { categorisation: true, external_text_models: true });
    await expect.poll(() => shown(account), WAIT).toMatchObject({ [SALARY]: ['Pay positive'], [PARKING(1)]: [] });
  });
});
