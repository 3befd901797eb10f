import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { toolOf } from '@survey/process/tool.ts';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { embeddedMasker } from '@survey/text/masking/embedded-masker.ts';
import { maskText } from '@survey/text/masking/mask-text.ts';
import { PERSONAL_CATEGORIES, type PersonalCategory } from '@survey/text/masking/masker.ts';
import { createPresidioMasker, type PresidioSettings } from './presidio-masker.ts';
import { Roster } from '@survey/text/masking/roster.ts';

const request = z.strictObject({ text: z.string(), language: z.string() });
type Asked = z.infer<typeof request>;
type Answer = (response: ServerResponse, asked: Asked) => void;

const PATIENT_MS = 20_000;
const HURRIED_MS = 200;
const NOBODY = new Roster();
const stack = new AsyncDisposableStack();
let running: AsyncDisposableStack | undefined;
afterEach(() => running?.disposeAsync());

// Fake of Presidio's API: POST /analyze, JSON in and out, offsets in code points.
async function presidio(answer: Answer, timeoutMs = PATIENT_MS) {
  running = new AsyncDisposableStack();
  const asked: Asked[] = [];
  const server = createServer((incoming, response) => void receive(incoming).then((body) => answer(response, body)));
  const receive = async (incoming: IncomingMessage) => {
    expect([incoming.method, incoming.url, incoming.headers['content-type']]).toEqual(['POST', '/analyze', 'application/json']);
    const body = request.parse(JSON.parse(Buffer.concat(await incoming.toArray()).toString()));
    asked.push(body);
    return body;
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  running.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const port = z.object({ port: z.int() }).parse(server.address()).port;
  const tools = { ...toolOf('test'), resources: stack };
  const settings: PresidioSettings = { url: `http://127.0.0.1:${port}`, timeoutMs, languages: ['en', 'de'] };
  const masker = running.use(createPresidioMasker(embeddedMasker, settings, tools));
  const find = (text: string, language = 'en', categories: readonly PersonalCategory[] = PERSONAL_CATEGORIES) =>
    masker.find({ text, language, roster: NOBODY, categories: new Set(categories) });
  return { asked, find, masker };
}

const json =
  (body: unknown): Answer =>
  (response) =>
    void response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
const entity = (start: number, end: number, entity_type: string) => ({
  start,
  end,
  score: 0.85,
  entity_type,
  analysis_explanation: null,
});

test('masks what either of the two maskers finds', async () => {
  const text = 'Zyx helped me, write to a@example.com';
  const { find, masker } = await presidio(json([entity(0, 3, 'PERSON'), entity(10, 13, 'DATE_TIME')]));

  expect(maskText(text, await find(text))).toBe('[NAME] helped me, write to [EMAIL]');
  expect(masker.version).not.toBe(embeddedMasker.version);
});

test('reads offsets as code points', async () => {
  const text = '🙂🙂 Zyx helped';
  const { find, asked } = await presidio(json([entity(3, 6, 'PERSON')]));

  expect(maskText(text, await find(text))).toBe('🙂🙂 [NAME] helped');
  expect(asked).toEqual([{ text, language: 'en' }]);
});

test('sends half a surrogate pair as valid JSON and leaves it unchanged', async () => {
  const { find, asked } = await presidio(json([entity(1, 2, 'PERSON')]));

  expect(maskText('\uD800Z', await find('\uD800Z'))).toBe('\uD800[NAME]');
  expect(asked[0]?.text).toBe('\uFFFDZ');
});

test('returns only requested categories, and national numbers as ids', async () => {
  const { find } = await presidio(json([entity(0, 3, 'PERSON'), entity(4, 7, 'US_SSN'), entity(8, 11, 'LOCATION')]));

  expect((await find('aaa bbb ccc', 'en', ['id'])).map(({ category, start }) => [category, start])).toEqual([['id', 4]]);
});

test.each([
  ['de', 'de'],
  ['fr', 'en'],
  ['', 'en'],
])('sends an answer in %j as %j', async (language, sent) => {
  const { find, asked } = await presidio(json([]));
  await find('x', language);

  expect(asked[0]?.language).toBe(sent);
});

describe('throws and returns no spans when', () => {
  const secret = 'Zyx';
  test.each<[string, Answer, string | RegExp]>([
    ['it fails', (response) => response.writeHead(500).end(JSON.stringify({ error: secret })), 'status 500'],
    ['it returns no JSON', (response) => response.end(`<html>${secret}`), 'not a list'],
    ['it returns another shape', json({ error: secret }), 'not a list'],
    ['an entity has no offsets', json([{ entity_type: 'PERSON' }]), 'not a list'],
    ['a span ends after the text', json([entity(0, 99, 'PERSON')]), 'outside the text'],
    ['a span is empty', json([entity(2, 2, 'PERSON')]), 'outside the text'],
    ['a span without a category is invalid', json([entity(5, 3, 'DATE_TIME')]), 'outside the text'],
    ['it closes the connection', (response) => response.destroy(), 'fetch failed'],
    ['it redirects', (response) => response.writeHead(302, { location: '/analyze' }).end(), 'fetch failed'],
  ])('%s', async (_, answer, message) => {
    const { find } = await presidio(answer);
    const failure = find(`${secret} helped`);

    await expect(failure).rejects.toThrow(message);
    await expect(failure).rejects.not.toThrow(secret);
  });
});

test.each<[string, Answer]>([
  ['it never responds', () => undefined],
  ['its response never ends', (response) => void response.write('[')],
])('throws after the timeout when %s', async (_, answer) => {
  const { find } = await presidio(answer, HURRIED_MS);

  await expect(find('x')).rejects.toThrow(/timeout/);
});

test('stops calling the analyzer after many failures', async () => {
  const { find, asked } = await presidio((response) => response.writeHead(503).end());
  for (let call = 0; call < 20; call++) await expect(find('x')).rejects.toThrow('503');
  const before = asked.length;

  await expect(find('x')).rejects.toThrow('the upstream service is unavailable');
  expect(asked).toHaveLength(before);
});
