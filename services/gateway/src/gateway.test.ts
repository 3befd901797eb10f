import { connect } from 'node:net';
import { createApiKey } from '@survey/formats/api-key.ts';
import { readEnvironment } from '@survey/process/environment.ts';
import type { Service } from '@survey/process/service.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { environment } from './config.ts';
import { startGateway } from './service.ts';

// Nothing listens on port 1: PostgreSQL, Redis, NATS and all upstream services are unavailable.
const settings = readEnvironment(environment, {
  DATABASE_URL: 'postgres://nobody:nothing@127.0.0.1:1/none',
  NATS_URL: 'nats://127.0.0.1:1',
  REDIS_URL: 'redis://127.0.0.1:1',
  HTTP_LISTEN: '127.0.0.1:0',
  LOG_LEVEL: 'silent',
  EXPORT_ADDRESS: '127.0.0.1:1',
  IMPORT_RECONCILER_ADDRESS: '127.0.0.1:1',
  SCORING_ANONYMITY_ADDRESS: '127.0.0.1:1',
  TEXT_ANALYSIS_ADDRESS: '127.0.0.1:1',
});

let gateway: Service;
beforeAll(async () => {
  gateway = await startGateway(settings);
});
afterAll(() => gateway[Symbol.asyncDispose]());

const get = (path: string, headers: Record<string, string> = {}) => fetch(`http://${gateway.address}${path}`, { headers });

async function problemOf(response: Response): Promise<Record<string, unknown>> {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(response.headers.get('x-powered-by')).toBeNull();
  expect(response.headers.get('cache-control')).toBe('private, no-store');
  const problem = JSON.parse(await response.text());
  expect(problem.status).toBe(response.status);
  expect(problem.instance).toBe(response.headers.get('x-request-id'));
  return problem;
}

/** Sends these bytes, and returns what arrives until the connection closes. */
function exchange(bytes: string): Promise<string> {
  const { hostname, port } = new URL(`http://${gateway.address}`);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1'));
    socket.setEncoding('utf8').on('data', (text) => (answer += text));
    socket.on('close', () => resolve(answer)).on('error', reject);
  });
}

describe('authentication', () => {
  const key = createApiKey('read').key;
  it.each([
    ['no key [AUTH-KEY-1]', '/v1/employees', {}],
    ['an empty key [AUTH-KEY-1]', '/v1/employees', { 'X-Api-Key': '' }],
    ['spaces [AUTH-KEY-1]', '/v1/employees', { 'X-Api-Key': '   ' }],
    ['not a key [AUTH-KEY-1]', '/v1/employees', { 'X-Api-Key': 'letmein' }],
    ['a key with a wrong checksum [AUTH-KEY-1]', '/v1/employees', { 'X-Api-Key': `${key.slice(0, -6)}000000` }],
    ['the key in the query [AUTH-KEY-1]', `/v1/employees?api_key=${key}`, {}],
    ['the key as a bearer token [AUTH-KEY-1]', '/v1/employees', { Authorization: `Bearer ${key}` }],
    ['the key twice', '/v1/employees', { 'X-Api-Key': `${key}, ${key}` }],
    ['an unknown path [ERRORS-ROUTING-1]', '/v1/nope', {}],
    ['a path with a stray percent sign', '/v1/%', {}],
  ])('returns 401 for %s', async (_name, path, headers) => {
    const response = await get(path, headers);
    expect(response.status).toBe(401);
    const { instance: _, ...problem } = await problemOf(response);
    expect(problem).toEqual({
      type: 'urn:survey:problem:unauthorized',
      title: 'A valid API key is needed',
      status: 401,
      detail: expect.stringContaining('X-Api-Key'),
    });
  });
});

it('returns 503, not 401, when a key cannot be checked', async () => {
  const response = await get('/v1/employees', { 'X-Api-Key': createApiKey('read').key });
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('2');
  await problemOf(response);
});

it('returns the request id of the client', async () => {
  expect((await get('/', { 'X-Request-Id': 'abc-1' })).headers.get('x-request-id')).toBe('abc-1');
});

it('redirects the root to the API reference', async () => {
  expect(new URL((await get('/')).url).pathname).toBe('/docs');
});

describe('requests that node:http rejects [ERRORS-SHAPE-1]', () => {
  const head = 'GET /v1/employees HTTP/1.1\r\nHost: a\r\n';
  it.each([
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['headers above 16 KiB', `${head}X: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['a path above 16 KiB', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
    ['an unknown method', 'FOO / HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['two lengths', `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
    ['a length twice', `${head}Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello`, 400],
    ['a length with a sign', `${head}Content-Length: +5\r\n\r\nhello`, 400],
    // The request has no key, which is noticed before its body is read.
    ['an unknown transfer coding', `${head}Transfer-Encoding: xchunked\r\n\r\n`, 401],
    ['chunked, but not last', `${head}Transfer-Encoding: chunked, identity\r\n\r\n`, 400],
    ['a bare line feed', 'GET / HTTP/1.1\nHost: a\n\n', 400],
    ['a bare carriage return', 'GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n', 400],
    ['NUL in a header', `${head}X: a\0b\r\n\r\n`, 400],
    ['a space before the colon', 'GET / HTTP/1.1\r\nHost : a\r\n\r\n', 400],
  ])('returns a problem for %s', async (_name, bytes, status) => {
    const [top = '', body = ''] = (await exchange(bytes)).split('\r\n\r\n');
    expect(top).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(top).toContain('Content-Type: application/problem+json');
    const problem = JSON.parse(body);
    expect(problem).toMatchObject({ status, detail: expect.any(String), instance: expect.any(String) });
    expect(top).toContain(`X-Request-Id: ${problem.instance}`);
  });

  it.each([
    ['Method', 'GIT / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['header', 'GET / HTTP/1.1\r\nHo st: a\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['length', `${head}Content-Length: 1x\r\n\r\n`],
  ])('describes the error in a sentence when the %s is invalid', async (_what, bytes) => {
    const problem = JSON.parse((await exchange(bytes)).split('\r\n\r\n')[1] ?? '');
    expect(problem.detail).toMatch(/^[A-Z].*\. [A-Z].*\.$/);
    expect(problem.detail).not.toMatch(/Pause|token|HPE|Expected/);
  });

  it('returns 405 for CONNECT', async () => {
    const answer = await exchange('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1.1 405 .*problem\+json.*Allow: GET, POST\r\n/s);
  });

  it('returns 408 when the headers do not arrive', async () => {
    expect(await exchange('GET / HTTP/1.1\r\nHos')).toMatch(/^HTTP\/1.1 408 .*problem\+json/s);
  }, 10_000);
});

describe('the probe port', () => {
  const probe = (path: string) => fetch(`http://${gateway.probeAddress}${path}`);

  it('reports ready when all stores and upstream services are unavailable', async () => {
    expect((await probe('/readyz')).status).toBe(200);
  });

  it('counts requests by route, method and status', async () => {
    await get('/v1/nope');
    expect(await (await probe('/metrics')).text()).toMatch(
      /http_request_duration_seconds_count\{.*method="GET",route="none",status="401"\} \d+/,
    );
  });
});

it('stops being ready, closes connections after their response and does not wait for idle ones when it drains', async () => {
  const other = await startGateway(settings);
  const ask = (path: string, address: string) => fetch(`http://${address}${path}`);
  expect((await ask('/', other.address)).headers.get('connection')).toBe('keep-alive');
  other.drain();
  expect((await ask('/readyz', other.probeAddress)).status).toBe(503);
  expect((await ask('/', other.address)).headers.get('connection')).toBe('close');
  const startedAt = performance.now();
  await other[Symbol.asyncDispose]();
  expect(performance.now() - startedAt).toBeLessThan(3_000);
  await expect(ask('/', other.address)).rejects.toThrow('fetch failed');
});
