import { connect } from 'node:net';
import type { Service } from '@survey/process/service.ts';
import express from 'express';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Behind, keys, send, startAppUnderTest } from '../../../test/support/app-under-test.ts';
import { employeesOperation } from './endpoints/get-employees.ts';
import { mountRoutes, type Route } from './endpoints/route.ts';

const behind = new Behind();
let gateway: Service;
beforeAll(async () => {
  gateway = await startAppUnderTest(behind);
});
afterAll(() => gateway[Symbol.asyncDispose]());
beforeEach(() => Object.assign(behind, new Behind()));

function ask(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`http://${gateway.address}${path}`, { ...init, headers: { 'X-Api-Key': keys.read } });
}

describe('routing', () => {
  it.each([
    ['an unknown path [ERRORS-ROUTING-1]', 'GET', '/v1/nope', 404, null],
    ['another case', 'GET', '/V1/employees', 404, null],
    ['a slash at the end', 'GET', '/v1/employees/', 404, null],
    ['a stray percent sign', 'GET', '/v1/%', 404, null],
    ['a path below an endpoint', 'GET', '/v1/employees/5', 404, null],
    ['another method [ERRORS-ROUTING-1]', 'POST', '/v1/employees', 405, 'GET, HEAD'],
    ['another method on the import [ERRORS-ROUTING-1]', 'GET', '/v1/employees/imports', 405, 'POST'],
    ['OPTIONS', 'OPTIONS', '/v1/employees', 405, 'GET, HEAD'],
    ['scope before body [AUTH-SCOPE-1]', 'POST', '/v1/employees/imports', 403, null],
  ])('%s', async (_name, method, path, status, allow) => {
    const response = await ask(path, { method, ...(method === 'POST' && { body: '{' }) });
    expect(response.status).toBe(status);
    expect(response.headers.get('allow')).toBe(allow);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(behind.uploads).toEqual([]);
  });

  it('returns 417 for an expectation other than 100-continue', async () => {
    const answer = await send(`http://${gateway.address}/v1/employees`, {
      headers: { 'X-Api-Key': keys.read, Expect: 'wonders' },
    });
    expect(answer.statusCode).toBe(417);
  });
});

describe('malformed requests', () => {
  async function exchange(headers: string): Promise<string> {
    const { hostname, port } = new URL(`http://${gateway.address}`);
    const socket = connect(Number(port), hostname);
    socket.write(`GET /v1/employees HTTP/1.1\r\nX-Api-Key: ${keys.read}\r\nConnection: close\r\n${headers}\r\n\r\n`);
    return (await socket.setEncoding('latin1').toArray()).join('');
  }

  it.each([
    ['two Host headers', 'Host: a\r\nHost: b'],
    ['two equal Host headers', 'Host: a\r\nhOST: a'],
    ['no Host header', 'X: a'],
    ['a body with gzip as its Transfer-Encoding', 'Host: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0'],
    ['the same in two headers', 'Host: a\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0'],
  ])('returns 400 for %s', async (_what, headers) => {
    expect(await exchange(headers)).toMatch(/^HTTP\/1.1 400 /);
    expect(behind.listed).toEqual([]);
  });

  it('accepts one Host header and a chunked body', async () => {
    expect(await exchange('Host: a\r\nTransfer-Encoding: Chunked\r\n\r\n0')).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe('a frozen upstream service', () => {
  const SCORE = '/v1/scores?question_ids=1&period_from=2024-01-01T00:00:00Z&period_to=2024-02-01T00:00:00Z';

  it('delays its own reads, but not heavy reads of the same account at another service', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    behind.untilTexts = promise;
    const rejected: number[] = [];
    const waiting = Array.from({ length: 20 }, async () => {
      const { status } = await ask('/v1/text_responses');
      if (status === 503) rejected.push(status);
      return status;
    });
    expect((await ask(SCORE)).status).toBe(200);
    // Calls without a slot within the queue timeout get 503; the others still run.
    await vi.waitFor(() => expect(rejected).toHaveLength(12), { timeout: 10_000 });
    resolve();
    expect((await Promise.all(waiting)).toSorted((a, b) => a - b)).toEqual([...Array(8).fill(200), ...Array(12).fill(503)]);
  });
});

describe('large pages', () => {
  it.each(['limit=1000', '%6Cimit=1000', 'limit=%31000', 'offset=0&%6c%69%6d%69%74=%31%30%30%30'])(
    'run at most two at a time when asked for by %s',
    async (query) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      behind.untilListed = promise;
      const pages = Array.from({ length: 6 }, () => ask(`/v1/employees?${query}`));
      await expect.poll(() => behind.listed.length).toBeGreaterThan(1);
      // Small pages have a limit of their own.
      const small = ask('/v1/employees?limit=200');
      await expect.poll(() => behind.listed.some(({ limit }) => limit === 200)).toBe(true);
      expect(behind.listed.filter(({ limit }) => limit === 1_000)).toHaveLength(2);
      resolve();
      expect((await Promise.all([...pages, small])).map(({ status }) => status)).toEqual(Array(7).fill(200));
    },
  );
});

describe('a client that disconnects', () => {
  const HEAVY = '/v1/text_responses';
  const PATIENT = { timeout: 10_000 };

  // Sends `count` requests on one connection, and closes it once `come` passes.
  async function sendAndLeave(count: number, come: () => void): Promise<void> {
    const { hostname, port } = new URL(`http://${gateway.address}`);
    const socket = connect(Number(port), hostname).on('error', () => {});
    socket.write(`GET ${HEAVY} HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${keys.read}\r\n\r\n`.repeat(count));
    await vi.waitFor(come, PATIENT);
    const left = await countLeft();
    socket.destroy();
    await vi.waitFor(async () => expect(await countLeft()).toBeGreaterThan(left), PATIENT);
  }

  async function countLeft(): Promise<number> {
    const metrics = await (await fetch(`http://${gateway.probeAddress}/metrics`)).text();
    const counts = metrics.matchAll(/^http_request_duration_seconds_count\{.*status="499".*\} (\d+)$/gm);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  }

  it('frees its slots while its key is looked up', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    behind.untilKey = promise;
    await sendAndLeave(8, () => expect(behind.keysAsked).toBe(8));
    resolve();
    expect((await ask(HEAVY)).status).toBe(200);
    // The requests of the closed connection have reached no upstream service.
    expect(behind.textsAsked).toBe(1);
  });

  it('keeps its slots until the upstream service has responded, and then frees them', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    behind.untilTexts = promise;
    await sendAndLeave(8, () => expect(behind.textsAsked).toBe(8));
    expect((await ask(HEAVY)).status).toBe(503);
    resolve();
    expect((await ask(HEAVY)).status).toBe(200);
    expect(behind.textsAsked).toBe(9);
  });

  it('frees its slots while other calls of it are queued', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    behind.untilTexts = promise;
    await sendAndLeave(20, () => expect(behind.textsAsked).toBe(8));
    resolve();
    expect((await ask(HEAVY)).status).toBe(200);
  });
});

it('rejects a route without a scope at startup', () => {
  const route: Route = {
    method: 'get',
    path: '/v1/open',
    scopes: [],
    operation: employeesOperation,
    endpoint: () => Promise.resolve(),
  };
  expect(() => mountRoutes(express(), [route])).toThrow('cannot mount get /v1/open: it has no scope');
});
