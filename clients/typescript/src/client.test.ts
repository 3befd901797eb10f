import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { SurveyClient, type ClientOptions } from './client.ts';
import { SurveyApiError, SurveyConnectionError, ValidationError } from './errors.ts';
import type { Retry } from './retry.ts';
import type { EmployeeRecord, Problem, SurveyCycle } from './resources.ts';
import type { Snapshot } from './snapshot.ts';

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

  it.each(['limit', 'offset'])('is not sent with the parameter %s, which pages have', (name) => {
    const { client } = clientOf([]);
    expect(() => client.employees({ [name]: 3 })).toThrow('limit and offset must be left out');
  });

  it('encodes commas between ids and times', async () => {
    const { client, sent } = clientOf([Response.json({ score: null })]);
    await client.scores.get({
      question_ids: [1, 2],
      period_from: '2024-01-01T00:00:00+02:00',
      period_to: '2024-02-01T00:00:00Z',
    });
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

describe('a list that may be unchanged', () => {
  const page = (ids: readonly number[], total: number, etag: string) =>
    Response.json({ total_count: total, employees: ids.map((id) => ({ id })) }, { headers: { ETag: etag } });

  it('is undefined after one request when it still has the ETag [LISTS-ETAG-1]', async () => {
    const { client, sent } = clientOf([answer(503), new Response(null, { status: 304 })]);
    expect(await client.employees().unlessChangedSince('"a"')).toBeUndefined();
    expect(sent.map(({ headers }) => headers.get('if-none-match'))).toEqual(['"a"', '"a"']);
  });

  it.each([['"a"'], [undefined]])('is read whole, its first page once, when it had the ETag %s [LISTS-ETAG-1]', async (etag) => {
    const { client, sent } = clientOf([page([1, 2], 3, '"b"'), page([2, 3], 3, '"c"'), page([1, 2], 3, '"c"')]);
    const changed = await client.employees({ pageSize: 2 }).unlessChangedSince(etag);
    expect((await changed?.toArray())?.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(changed?.etag).toBe('"b"');
    expect(sent.map(({ headers }) => headers.get('if-none-match'))).toEqual([etag ?? null, null]);
  });

  it('is refused for what is not an ETag, such as *, which every list matches', async () => {
    const { client, sent } = clientOf([]);
    for (const etag of ['*', '', 'a', '"a", "b"'])
      await expect(client.employees().unlessChangedSince(etag)).rejects.toThrow('etag must be');
    expect(sent).toEqual([]);
  });

  it('fails for a 304 that nobody asked for', async () => {
    const { client } = clientOf([new Response(null, { status: 304 })]);
    await expect(client.employees().unlessChangedSince(undefined)).rejects.toThrow(SurveyApiError);
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

  it.each([
    [400, 'ValidationError'],
    [401, 'AuthenticationError'],
    [403, 'PermissionError'],
    [404, 'NotFoundError'],
    [405, 'SurveyApiError'],
  ])('throws after %s without a retry, as %s', async (status, name) => {
    const { client, sent } = clientOf([answer(status)]);
    await expect(client.employees().page()).rejects.toMatchObject({ name, status });
    expect(sent).toHaveLength(1);
  });

  it.each([
    [429, 'RateLimitError'],
    [503, 'ServiceError'],
  ])('throws after %s without retries left, as %s', async (status, name) => {
    const { client } = clientOf([answer(status)]);
    await expect(client.employees({ retries: { most: 0 } }).page()).rejects.toMatchObject({ name, status });
  });

  it('reports each retry and each response', async () => {
    const { client } = clientOf([answer(503), new TypeError('terminated'), EMPTY]);
    const retries: unknown[] = [];
    const statuses: number[] = [];
    await client
      .employees({
        onRetry: ({ error, failures }) => retries.push([error.name, failures]),
        onResponse: (r) => statuses.push(r.status),
      })
      .page();
    expect(retries).toEqual([
      ['ServiceError', 1],
      ['SurveyConnectionError', 2],
    ]);
    expect(statuses).toEqual([503, 200]);
  });

  it('names the origin and the innermost cause of a connection error', async () => {
    const rejected = new AggregateError([], '');
    const cause = Object.assign(rejected, { code: 'ECONNREFUSED' });
    const { client } = clientOf([new TypeError('fetch failed', { cause })], { retries: { most: 0 } });
    await expect(client.employees().page()).rejects.toThrow('cannot get a response from http://x: ECONNREFUSED');
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
    const rejection: unknown = await client
      .employees()
      .page()
      .catch((error: unknown) => error);
    expect(rejection).toBeInstanceOf(SurveyApiError);
    expect(rejection).toMatchObject({ status: 503, retryAfterMs: expect.closeTo(3_600_000, -4) });
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

  it.each([
    ['JSON of another service', Response.json({ status: 'ok' }), 'it has no total_count and employees'],
    ['a page', new Response('<html>', { headers: { 'Content-Type': 'text/html' } }), 'it is text/html, not JSON'],
  ])('fails at once when the response is %s', async (_, response, reason) => {
    const { client, sent } = clientOf([response]);
    const error = { name: 'UnexpectedResponseError', message: expect.stringContaining(`${reason} (not a response of`) };
    await expect(client.employees().page()).rejects.toMatchObject(error);
    expect(sent).toHaveLength(1);
  });

  it('says that a 404 without a problem is not one of the service', async () => {
    const { client } = clientOf([answer(404)]);
    await expect(client.employees().page()).rejects.toThrow('check baseUrl');
  });
});

describe('an import', () => {
  it.each([
    ['an array', [ADA, ADA]],
    ['a function', () => [ADA, ADA]],
    ['any iterable', new Set([ADA, { ...ADA }])],
    ['an async iterable', Readable.from([ADA, ADA])],
    ['a web stream', ReadableStream.from([ADA, ADA])],
    ['the bytes of a document', () => new Blob([JSON.stringify({ employees: [ADA, ADA] })]).stream()],
  ])('sends %s as gzip', async (_name, employees) => {
    const { client, sent } = clientOf([ACCEPTED]);
    expect(await client.importEmployees(employees)).toEqual({ import_uuid: 'u', replayed: false });
    expect(JSON.parse(sent[0]?.body ?? '')).toEqual({ employees: [ADA, ADA] });
    expect(sent[0]?.headers.get('content-encoding')).toBe('gzip');
  });

  it.each([undefined, null, { employees: [ADA] }, JSON.stringify([ADA]), 5])('is not sent when it is %j', async (snapshot) => {
    const { client, sent } = clientOf([ACCEPTED]);
    await expect(client.importEmployees(snapshot as Snapshot)).rejects.toThrow('snapshot must be an array');
    expect(sent).toEqual([]);
  });

  it('is repeated under the same Idempotency-Key, with the whole body', async () => {
    const { client, sent } = clientOf([answer(503), new TypeError('terminated'), ACCEPTED]);
    const waits: number[] = [];
    await client.importEmployees([ADA], { onRetry: ({ waitMs }) => waits.push(waitMs) });
    expect(waits).toEqual(waits.map(Math.round));
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
    expect(new Set(sent.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1);
    expect(sent).toHaveLength(3);
  });

  it('is not repeated when the employees can be iterated over only once', async () => {
    const { client, sent } = clientOf([answer(503)]);
    await expect(client.importEmployees(new Set([ADA]))).rejects.toMatchObject({ status: 503 });
    expect(sent).toHaveLength(1);
  });

  it('waits on request while another import is running', async () => {
    const waits: number[] = [];
    const onRetry = ({ waitMs }: Retry) => waits.push(waitMs);
    const retries = { most: 0, firstWaitMs: 1, longestWaitMs: 10 };
    const running = Array.from({ length: 7 }, () => answer(409));
    const { client, sent } = clientOf([...running, answer(409, { 'Retry-After': '60' }), ACCEPTED], { retries, onRetry });
    expect(await client.importEmployees([ADA], { waitForRunning: true })).toMatchObject({ import_uuid: 'u' });
    expect(waits).toEqual([2, 4, 8, 10, 10, 10, 10, 10]);
    expect(new Set(sent.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1);
    await expect(client.importEmployees(new Set([ADA]), { waitForRunning: true })).rejects.toThrow('waitForRunning needs');
  });

  it('throws after 409 without a retry, as ConflictError', async () => {
    const { client, sent } = clientOf([answer(409)]);
    await expect(client.importEmployees([ADA])).rejects.toMatchObject({ name: 'ConflictError', status: 409 });
    expect(sent).toHaveLength(1);
  });

  it.each(['{"title":"Bad gateway"}', '"text"', 'null'])('does not take %s of a proxy for the problem', async (body) => {
    const type = { 'Content-Type': 'application/problem+json' };
    const { client } = clientOf([new Response(body, { status: 502, statusText: 'Bad Gateway', headers: type })], {
      retries: { most: 0 },
    });
    await expect(client.importEmployees([ADA])).rejects.toMatchObject({
      message: expect.stringMatching(/^502 Bad Gateway \(not a response of the service/),
      problem: undefined,
    });
  });

  it('throws every fault with its pointer, and the first one in the message', async () => {
    const errors = [{ pointer: '/employees/0/email', detail: 'must be an e-mail address' }];
    const problem = { status: 400, detail: 'The request is malformed.', errors } as Partial<Problem>;
    const invalid = Response.json(problem, { status: 400, headers: { 'Content-Type': 'application/problem+json' } });
    const { client } = clientOf([invalid]);
    const error: unknown = await client.importEmployees([ADA]).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(ValidationError);
    const message = '400 The request is malformed. First: /employees/0/email: must be an e-mail address';
    expect(error).toMatchObject({ errors, message });
  });

  it('says once what a problem and its only fault have in common', async () => {
    const detail = 'question_ids names a question that does not exist';
    const errors = [{ pointer: '/question_ids', detail: 'names a question that does not exist' }];
    const body = { type: 'urn:survey:problem:invalid-request', detail, errors };
    const invalid = Response.json(body, { status: 400, headers: { 'Content-Type': 'application/problem+json' } });
    const { client } = clientOf([invalid]);
    await expect(client.employees().page()).rejects.toMatchObject({ code: 'invalid-request', message: `400 ${detail}` });
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

describe('a comparison of scores', () => {
  const cycle = (id: string, opened_at: string, closed_at: string | null, survey_id = 1): SurveyCycle =>
    ({ id, survey_id, opened_at, closed_at, timezone: 'Europe/Vienna' }) as const;

  it('orders the cycles by time, skips suppressed ones, and keeps surveys apart', async () => {
    const scoreOf = (score: number | null) => Response.json({ score, suppressed: score === null });
    const { client, sent } = clientOf([scoreOf(60.1), scoreOf(10), scoreOf(null), scoreOf(65.3)]);
    const open = cycle('c', '2024-03-01T00:00:00Z', null);
    const closed = [
      cycle('b', '2024-02-01T00:00:00Z', '2024-02-08T00:00:00Z'),
      cycle('a', '2024-01-01T00:00:00Z', '2024-01-08T00:00:00Z'),
      cycle('other', '2024-01-02T00:00:00Z', '2024-01-08T00:00:00Z', 2),
    ];
    const compared = await client.scores.compare([1, 2], [open, ...closed]);
    expect(compared.map(({ cycle, score, change }) => [cycle.id, score.score, change])).toEqual([
      ['a', 60.1, null],
      ['other', 10, null],
      ['b', null, null],
      ['c', 65.3, 5.2],
    ]);
    const periods = sent.map(({ url }) => new URL(url).searchParams);
    expect(periods.map((query) => query.get('survey_ids'))).toEqual(['1', '2', '1', '1']);
    expect(periods[0]?.get('period_to')).toBe('2024-01-08T00:00:00Z');
    expect(Date.parse(periods[3]?.get('period_to') ?? '')).toBeCloseTo(Date.now(), -5);
  });

  it('skips and names cycles that open in the future', async () => {
    const { client } = clientOf([]);
    const skipped: string[] = [];
    const future = cycle('f', new Date(Date.now() + 60_000).toISOString(), null);
    expect(await client.scores.compare([1], [future], { onSkipped: ({ id }) => skipped.push(id) })).toEqual([]);
    expect(skipped).toEqual(['f']);
  });
});

describe('an argument', () => {
  const { client, sent } = clientOf([]);
  const period = { period_from: '2024-01-01T00:00:00Z', period_to: new Date() };
  const untyped = (value: unknown): never => value as never;

  it.each<[string, () => unknown]>([
    ['survey_ids', () => client.textResponses({ survey_ids: untyped('12') })],
    ['question_ids', () => client.textResponses({ question_ids: untyped([1, '2']) })],
    ['attribute_option_ids', () => client.textResponses({ attribute_option_ids: [1.5] })],
    ['survey_cycle_ids', () => client.textResponses({ survey_cycle_ids: ['a,b'] })],
    ['survey_id', () => client.surveyCycles({ survey_id: untyped('7') })],
    ['is_archived', () => client.surveys({ is_archived: untyped('false') })],
    ['created_after', () => client.surveys({ created_after: '2024-01-31' })],
    ['created_after', () => client.surveys({ created_after: '2024-01-31T09:00:00' })],
    ['created_after', () => client.surveys({ created_after: new Date('never') })],
    ['attribute_id', () => client.attributeOptions(-1)],
    ['offset', () => client.employees().page(10, Number.NaN)],
    ['question_ids', () => client.scores.get({ ...period, question_ids: untyped('12') })],
    ['period_to', () => client.scores.get({ ...period, question_ids: [1], period_to: untyped(0) })],
    ['participation', () => client.scores.get({ ...period, question_ids: [1], participation: untyped(1) })],
    ['surveyid', () => client.surveyCycles(untyped({ surveyid: 7 }))],
  ])('that cannot be %s is rejected by name, and nothing is sent', async (name, call) => {
    await expect((async () => call())()).rejects.toThrow(new RegExp(`^${name} must be `));
    expect(sent).toEqual([]);
  });
});

describe('a client', () => {
  it('names itself after the calling program', async () => {
    const { client, sent } = clientOf([EMPTY], { userAgent: 'nightly-export/2' });
    await client.employees().page();
    expect(sent[0]?.headers.get('user-agent')).toMatch(/^nightly-export\/2 survey\/client\/\d+\.\d+\.\d+$/);
  });

  it.each([0, -1, Number.NaN, 1.5])('rejects the timeout %s at once', (timeoutMs) => {
    expect(() => clientOf([], { timeoutMs })).toThrow('timeoutMs must be');
  });

  it.each(['secret\n', 'sec ret', 'sécret', ''])('rejects the key %j at once without repeating it', (apiKey) => {
    const client = () => clientOf([], { apiKey });
    expect(client).toThrow('apiKey must be');
    expect(client).not.toThrow('cret');
  });

  it.each(['http://x', 'http://x/', 'http://x/v1', 'http://x/v1/'])('takes the base URL %s', async (baseUrl) => {
    const { client, sent } = clientOf([EMPTY], { baseUrl });
    await client.employees().page(1);
    expect(sent.map(({ url }) => url)).toEqual(['http://x/v1/employees?limit=1&offset=0']);
  });

  it('keeps the prefix of a proxy', async () => {
    const { client, sent } = clientOf([EMPTY], { baseUrl: 'http://x/survey/v1' });
    await client.employees().page(1);
    expect(sent.map(({ url }) => url)).toEqual(['http://x/survey/v1/employees?limit=1&offset=0']);
  });

  it.each(['survey.example.com', 'ftp://x', 'http://user:secret@x', 'http://x?key=1', ''])(
    'rejects the base URL %j at once',
    (baseUrl) => {
      expect(() => clientOf([], { baseUrl })).toThrow(/^baseUrl must be an http or https URL/);
    },
  );

  it('sends nothing when an idempotency key is not a valid header value', async () => {
    const { client, sent } = clientOf([]);
    await expect(client.importEmployees([ADA], { idempotencyKey: 'a\nb' })).rejects.toThrow('idempotencyKey must be');
    expect(sent).toEqual([]);
  });
});
