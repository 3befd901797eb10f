import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openModelEndpoint } from './model-endpoint.ts';
import { createOpenAiScorer } from './sentiment/openai-scorer.ts';
import type { Categoriser, TopicView } from './topics/categoriser.ts';
import { createEmbeddingCategoriser } from './topics/embedding-categoriser.ts';
import { createOpenAiCategoriser } from './topics/openai-categoriser.ts';

const chatRequest = z.object({
  model: z.literal('m'),
  messages: z.tuple([
    z.object({ role: z.literal('system'), content: z.string() }),
    z.object({ role: z.literal('user'), content: z.string() }),
  ]),
  response_format: z.object({
    type: z.literal('json_schema'),
    json_schema: z.object({ strict: z.literal(true), schema: z.looseObject({}) }),
  }),
});
const embeddingRequest = z.object({ model: z.literal('m'), input: z.array(z.string()).min(1) });

// Next output of the fake model, and the requests that it received.
type Reply = { status?: number; delayMs?: number; raw?: string; content?: unknown };
let reply: Reply = {};
const asked: { path: string | undefined; authorization: string | undefined; body: unknown }[] = [];

// Fake OpenAI-compatible server: a chat model with scripted output, and embeddings that count the
// letters a to z.
const server = createServer((request, response) => {
  const respond = async (): Promise<void> => {
    const { status, body } = await answer(request);
    await new Promise((resolve) => setTimeout(resolve, reply.delayMs ?? 0));
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  };
  void respond();
}).listen(0, '127.0.0.1');
await once(server, 'listening');

async function answer(request: IncomingMessage): Promise<{ status: number; body: string }> {
  const body: unknown = JSON.parse(await readText(request));
  asked.push({ path: request.url, authorization: request.headers.authorization, body });
  if (reply.status !== undefined) return { status: reply.status, body: '{"error":{"message":"no"}}' };
  if (reply.raw !== undefined) return { status: 200, body: reply.raw };
  if (request.url === '/v1/embeddings') {
    const data = embeddingRequest.parse(body).input.map((input, index) => ({ index, embedding: letters(input) }));
    return { status: 200, body: JSON.stringify({ data: data.toReversed() }) };
  }
  chatRequest.parse(body);
  return { status: 200, body: JSON.stringify({ choices: [{ message: { content: JSON.stringify(reply.content) } }] }) };
}

const letters = (input: string): number[] =>
  'abcdefghijklmnopqrstuvwxyz'.split('').map((letter) => input.toLowerCase().split(letter).length - 1);

const address = server.address();
if (address === null || typeof address === 'string') throw new Error('no port');
const settings = { baseUrl: `http://127.0.0.1:${address.port}/v1`, apiKey: 'key-of-the-account', model: 'm' };
// Only a reply that is meant to be too slow may reach the timeout.
const openEndpoint = () => openModelEndpoint({ ...settings, timeoutMs: reply.delayMs === undefined ? 10_000 : 100 }, log);
const lines: string[] = [];
const keep = (...line: readonly unknown[]) => void lines.push(JSON.stringify(line));
const log = { debug: keep, info: keep, warn: keep };

const TOPICS: readonly TopicView[] = [
  { topicId: 1, name: 'Pay', description: undefined, keywords: new Map([['en', ['salary']]]) },
  { topicId: 2, name: 'Zoo', description: 'zzzz', keywords: new Map() },
];
const ANSWER = { text: 'Pay. A secret sentence of [NAME]', language: 'en', topics: TOPICS };
const EMBEDDED: Categoriser = { version: 'e', assign: () => Promise.resolve([{ topicId: 2, score: 0.5 }]) };
const BY_EMBEDDED = [{ topicId: 2, score: 0.5 }];

beforeEach(() => {
  reply = {};
  asked.length = 0;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

describe('the categoriser with a chat model', () => {
  const assign = async () => {
    using endpoint = openEndpoint();
    return await createOpenAiCategoriser(endpoint, 'm', EMBEDDED).assign(ANSWER);
  };

  it('returns those that the model chose, requested with the key and a JSON schema', async () => {
    reply = { content: { topics: [{ topic_id: 1, score: 0.9 }] } };
    expect(await assign()).toEqual([{ topicId: 1, score: 0.9 }]);
    expect(asked).toMatchObject([{ path: '/v1/chat/completions', authorization: 'Bearer key-of-the-account' }]);
    expect(JSON.parse(chatRequest.parse(asked[0]?.body).messages[1].content)).toMatchObject({
      answer: ANSWER.text,
      topics: [{ topic_id: 1 }, { topic_id: 2 }],
    });
  });

  it.each<[string, Reply]>([
    ['is too slow', { delayMs: 1_000, content: { topics: [] } }],
    ['returns 500', { status: 500 }],
    ['returns no JSON', { raw: '<html>' }],
    ['returns another shape', { raw: '{"choices":[]}' }],
    ['generates no JSON', { raw: JSON.stringify({ choices: [{ message: { content: 'Sure! Pay.' } }] }) }],
    ['scores beyond 1', { content: { topics: [{ topic_id: 1, score: 7 }] } }],
    [
      'chooses an unknown topic',
      {
        content: {
          topics: [
            { topic_id: 1, score: 1 },
            { topic_id: 3, score: 1 },
          ],
        },
      },
    ],
  ])('returns the embedded ones when it %s', async (_, next) => {
    reply = next;
    expect(await assign()).toEqual(BY_EMBEDDED);
    expect(asked.length).toBe(1);
  });

  it('returns the embedded ones at once while most calls fail', async () => {
    using endpoint = openEndpoint();
    const categoriser = createOpenAiCategoriser(endpoint, 'm', EMBEDDED);
    reply = { status: 503 };
    for (let call = 0; call < 30; call += 1) expect(await categoriser.assign(ANSWER)).toEqual(BY_EMBEDDED);
    expect(asked.length).toBeLessThan(15);
  });
});

describe('the categoriser with an embedding model', () => {
  const assign = async (answer = ANSWER) => {
    using endpoint = openEndpoint();
    return await createEmbeddingCategoriser(endpoint, { model: 'm', threshold: 0.95 }, EMBEDDED).assign(answer);
  };

  it('returns those that are near to a sentence, in any order of the vectors', async () => {
    const topics = [{ topicId: 1, name: 'Pay', description: undefined, keywords: new Map() }, TOPICS[1] ?? TOPICS[0]].flatMap(
      (topic) => topic ?? [],
    );
    const [found, ...others] = await assign({ ...ANSWER, topics });
    expect(others).toEqual([]);
    expect(found).toMatchObject({ topicId: 1 });
    expect(found?.score).toBeCloseTo(1);
  });

  it('requests the embeddings of a topic list once', async () => {
    using endpoint = openEndpoint();
    const categoriser = createEmbeddingCategoriser(endpoint, { model: 'm', threshold: 0.95 }, EMBEDDED);
    await categoriser.assign(ANSWER);
    await categoriser.assign(ANSWER);
    expect(asked.length).toBe(3);
  });

  it.each<[string, Reply]>([
    ['is too slow', { delayMs: 1_000 }],
    ['returns 500', { status: 500 }],
    ['omits a vector', { raw: '{"data":[{"index":0,"embedding":[1]}]}' }],
    ['returns vectors of different lengths', { raw: '{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}' }],
  ])('returns the embedded ones when it %s', async (_, next) => {
    reply = next;
    expect(await assign()).toEqual(BY_EMBEDDED);
  });

  it('returns none for an answer without text, without a request', async () => {
    expect(await assign({ ...ANSWER, text: ' ' })).toEqual([]);
    expect(asked).toEqual([]);
  });
});

describe('the scorer with a chat model', () => {
  const score = async () => {
    using endpoint = openEndpoint();
    const embedded = { version: 'e', score: () => Promise.resolve({ label: 'neutral' as const, score: 0 }) };
    return await createOpenAiScorer(endpoint, 'm', embedded).score({
      ...ANSWER,
      question: 'Why?',
      topic: TOPICS[0] ?? { topicId: 0, name: '', description: undefined, keywords: new Map() },
    });
  };

  it.each([
    { label: 'negative', score: -0.8 },
    { label: null, score: 0 },
  ])('returns the label of the model: $label', async (content) => {
    reply = { content };
    expect(await score()).toEqual(content);
  });

  it.each<[string, Reply]>([
    ['is too slow', { delayMs: 1_000, content: { label: 'negative', score: -1 } }],
    ['returns 429', { status: 429 }],
    ['returns an unknown label', { content: { label: 'mixed', score: 0 } }],
  ])('returns the embedded one when it %s', async (_, next) => {
    reply = next;
    expect(await score()).toEqual({ label: 'neutral', score: 0 });
  });
});

it("logs failures without the answer, the model's output or the key", () => {
  expect(lines.join('')).toContain('model call replaced by embedded analysis');
  expect(lines.join('')).not.toMatch(/secret|Sure!|key-of-the-account|<html>/u);
});
