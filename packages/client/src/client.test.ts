import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { SurveyClient, type ClientOptions } from './client.ts';
import { SurveyApiError, SurveyConnectionError } from './errors.ts';
import type { EmployeeRecord } from './resources.ts';

const EMPTY = Response.json({ total_count: 0, employees: [] });
const ACCEPTED = Response.json({ import_uuid: 'u' }, { status: 202 });
const ADA: EmployeeRecord = { import_id: 'E1', email: 'ada@x.io', firstname: 'Ada', lastname: 'Lovelace' };
const answer = (status: number, headers: Record<string, string> = {}) => new Response('', { status, headers });

type Outcome = Response | Error;

/**
 * Returns a client of a service that returns these outcomes one after the other and reads bodies as
 * the service would.
 */
function clientOf(outcomes: readonly Outcome[], options: Partial<ClientOptions> = {}) {
  const sent: { url: string; headers: Headers; body: string }[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    sent.push({ url: request.url, headers: request.headers, body: await gunzipped(request) });
    const outcome = outcomes[sent.length - 1] ?? new Error('asked once more than there are answers');
    if (outcome instanceof Error) throw outcome;
    return outcome.clone();
  };
  const retries = { firstWaitMs: 1 };
  return { client: new SurveyClient({ baseUrl: 'http://x/', apiKey: 'key', fetch, retries, ...options }), sent };
}

async function gunzipped({ body }: Request): Promise<string> {
  return body === null ? '' : new Response(body.pipeThrough(new DecompressionStream('gzip'))).text();
}

describe('a request', () => {
  it('carries the key in the header, and only the given query parameters', async () => {
    const { client, sent } = clientOf([EMPTY]);
    expect(await client.employees().page(5, 10)).toEqual({ total_count: 0, rows: [] });
    expect(sent.map(({ url }) => url)).toEqual(['http://x/v1/employees?limit=5&offset=10']);
    expect(sent[0]?.headers.get('x-api-key')).toBe('key');
  });

  it('encodes commas between ids and times', async () => {
    const { client, sent } = clientOf([Response.json({ score: null })]);
    await client.score({ question_ids: [1, 2], period_from: '2024-01-01T00:00:00+02:00', period_to: '2024-02-01T00:00:00Z' });
    const query = 'question_ids=1%2C2&period_from=2024-01-01T00%3A00%3A00%2B02%3A00&period_to=2024-02-01T00%3A00%3A00Z';
    expect(sent.map(({ url }) => url)).toEqual([`http://x/v1/scores?${query}`]);
  });

  it.each([
    ['employees', (client: SurveyClient) => client.employees(), '/v1/employees?'],
    ['surveys', (client: SurveyClient) => client.surveys({ is_archived: false }), '/v1/surveys?is_archived=false&'],
    ['cycles', (client: SurveyClient) => client.surveyCycles({ survey_id: 7 }), '/v1/survey_cycles?survey_id=7&'],
    ['questions', (client: SurveyClient) => client.questions(), '/v1/questions?'],
    ['survey_assignments', (client: SurveyClient) => client.surveyAssignments(), '/v1/survey_assignments?'],
    ['initiatives', (client: SurveyClient) => client.initiatives({ status: 'draft' }), '/v1/initiatives?status=draft&'],
    ['attributes', (client: SurveyClient) => client.attributes(), '/v1/attributes?'],
    ['options', (client: SurveyClient) => client.attributeOptions(3), '/v1/attributes/3/options?'],
  ])('for %s goes to its endpoint, with its filters', async (array, listOf, path) => {
    const { client, sent } = clientOf([Response.json({ total_count: 1, [array]: [{ id: 1 }] })]);
    expect((await listOf(client).page()).rows).toEqual([{ id: 1 }]);
    expect(sent.map(({ url }) => url)).toEqual([`http://x${path}limit=1000&offset=0`]);
  });

  it('does not show the key when the client is logged', () => {
    const { client } = clientOf([], { apiKey: 'secret-key' });
    expect(JSON.stringify(client)).not.toContain('secret');
  });
});

describe('a GET', () => {
  it.each([429, 500, 502, 503, 504])('is repeated after %s', async (status) => {
    const { client, sent } = clientOf([answer(status), answer(status), EMPTY]);
    await client.employees().page();
    expect(sent).toHaveLength(3);
  });

  it('is repeated after a failure of the network', async () => {
    const { client, sent } = clientOf([new TypeError('fetch failed'), EMPTY]);
    await client.employees().page();
    expect(sent).toHaveLength(2);
  });

  it.each([400, 401, 403, 404])('is not repeated after %s', async (status) => {
    const { client, sent } = clientOf([answer(status)]);
    await expect(client.employees().page()).rejects.toMatchObject({ name: 'SurveyApiError', status });
    expect(sent).toHaveLength(1);
  });

  it('ends with the last failure after the allowed number of attempts', async () => {
    const retries = { most: 2, firstWaitMs: 1 };
    const { client, sent } = clientOf([answer(503), answer(503), new TypeError('fetch failed')], { retries });
    await expect(client.employees().page()).rejects.toThrow(SurveyConnectionError);
    expect(sent).toHaveLength(3);
  });

  it('waits as long as Retry-After says', async () => {
    const { client } = clientOf([answer(503, { 'Retry-After': '1' }), EMPTY]);
    const startedAt = performance.now();
    await client.employees().page();
    expect(performance.now() - startedAt).toBeGreaterThan(990);
  });

  it('is not repeated when Retry-After exceeds the longest wait', async () => {
    const { client } = clientOf([answer(503, { 'Retry-After': new Date(Date.now() + 3_600_000).toUTCString() })]);
    const refusal: unknown = await client
      .employees()
      .page()
      .catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(SurveyApiError);
    expect(refusal).toMatchObject({ status: 503, retryAfterMs: expect.closeTo(3_600_000, -4) });
  });

  it('stops waiting when its signal is aborted', async () => {
    const stop = new AbortController();
    const { client } = clientOf([answer(503, { 'Retry-After': '30' })]);
    const asked = client.employees({ signal: stop.signal }).page();
    setTimeout(() => stop.abort(), 20);
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('fails when the response does not arrive in time', async () => {
    const fetch: typeof globalThis.fetch = (_input, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(new Error('aborted')));
      });
    const client = new SurveyClient({ baseUrl: 'http://x', apiKey: 'k', fetch, timeoutMs: 20, retries: { most: 0 } });
    await expect(client.employees().page()).rejects.toThrow(SurveyConnectionError);
  });

  it('rejects JSON that is not a page', async () => {
    const { client } = clientOf([Response.json({ status: 'ok' })]);
    await expect(client.employees().page()).rejects.toThrow('the answer is no page of employees');
  });
});

describe('an import', () => {
  it.each([
    ['an array', [ADA, ADA]],
    ['a function', () => [ADA, ADA]],
    ['any iterable', new Set([ADA, { ...ADA }])],
    ['an async iterable', Readable.from([ADA, ADA])],
  ])('sends %s as gzip', async (_name, employees) => {
    const { client, sent } = clientOf([ACCEPTED]);
    expect(await client.importEmployees(employees)).toEqual({ import_uuid: 'u' });
    expect(JSON.parse(sent[0]?.body ?? '')).toEqual({ employees: [ADA, ADA] });
    expect(sent[0]?.headers.get('content-encoding')).toBe('gzip');
  });

  it('is repeated under the same Idempotency-Key, with the whole body', async () => {
    const { client, sent } = clientOf([answer(503), new TypeError('terminated'), ACCEPTED]);
    await client.importEmployees([ADA]);
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
    expect(new Set(sent.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1);
    expect(sent).toHaveLength(3);
  });

  it('is not repeated when the employees can be iterated over only once', async () => {
    const { client, sent } = clientOf([answer(503)]);
    await expect(client.importEmployees(new Set([ADA]))).rejects.toMatchObject({ status: 503 });
    expect(sent).toHaveLength(1);
  });

  it('is not repeated after 409', async () => {
    const { client, sent } = clientOf([answer(409)]);
    await expect(client.importEmployees([ADA])).rejects.toMatchObject({ status: 409 });
    expect(sent).toHaveLength(1);
  });

  it("fails with the iteration's error and is not repeated", async () => {
    let opened = 0;
    const broken = function* () {
      opened++;
      yield ADA;
      throw new RangeError('row 2 is broken');
    };
    const { client } = clientOf([]);
    await expect(client.importEmployees(broken)).rejects.toThrow('row 2 is broken');
    expect(opened).toBe(1);
  });

  it('omits undefined properties, which stay unchanged', async () => {
    const { client, sent } = clientOf([ACCEPTED]);
    await client.importEmployees([{ ...ADA, role: null }]);
    expect(sent[0]?.body).toBe(`{"employees":[${JSON.stringify({ ...ADA, role: null })}]}`);
  });
});

describe('a client', () => {
  it.each(['secret\n', 'sec ret', 'sécret', ''])('rejects the key %j at once without repeating it', (apiKey) => {
    const client = () => clientOf([], { apiKey });
    expect(client).toThrow('apiKey must be');
    expect(client).not.toThrow('cret');
  });

  it.each(['survey.example.com', 'ftp://x', 'http://user:secret@x', ''])('rejects the base URL %j at once', (baseUrl) => {
    expect(() => clientOf([], { baseUrl })).toThrow(/^baseUrl must be an http or https URL/);
  });

  it('sends nothing when an idempotency key is not a valid header value', async () => {
    const { client, sent } = clientOf([]);
    await expect(client.importEmployees([ADA], { idempotencyKey: 'a\nb' })).rejects.toThrow('idempotencyKey must be');
    expect(sent).toEqual([]);
  });
});
