import { once } from 'node:events';
import { request as httpRequest, type ClientRequest } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Service } from '@survey/process/service.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answerTo, Behind, keys, send, startAppUnderTest } from '../../../../test/support/app-under-test.ts';

const behind = new Behind();
let gateway: Service;
beforeAll(async () => {
  gateway = await startAppUnderTest(behind);
});
afterAll(() => gateway[Symbol.asyncDispose]());
beforeEach(() => Object.assign(behind, new Behind()));

const withKey = { 'X-Api-Key': keys['employees:write'] };
const urlOf = (query = ''): string => `http://${gateway.address}/v1/employees/imports${query}`;

function post(
  body: Buffer,
  headers: Record<string, string> = { 'Content-Type': 'application/json' },
  query = '',
): Promise<Response> {
  return fetch(urlOf(query), { method: 'POST', body, headers: { ...withKey, ...headers } });
}

/** Sends the headers only; the test sends the body. */
function open(headers: Record<string, string>): ClientRequest {
  const request = httpRequest(urlOf(), { method: 'POST', headers: { ...withKey, ...headers } });
  request.flushHeaders();
  return request;
}

describe('POST /v1/employees/imports', () => {
  it('returns 202 and passes on the body and its headers unchanged', async () => {
    const body = gzipSync('{"employees":[]}');
    const response = await post(body, {
      'Content-Type': 'application/json; charset=UTF-8',
      'Content-Encoding': 'gzip',
      'Idempotency-Key': 'a-1',
    });
    expect(response.status).toBe(202);
    expect(await response.json()).toEqual({ import_uuid: 'the uuid' });
    expect(behind.accounts).toEqual([42]);
    expect(behind.uploads).toEqual([
      {
        head: {
          import_uuid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
          content_encoding: 'gzip',
          content_type: 'application/json; charset=UTF-8',
          idempotency_key: 'a-1',
          key_id: 'k',
        },
        body: [body],
        outcome: 'whole',
      },
    ]);
  });

  it('passes on requests without a body, content type or encoding', async () => {
    const answer = await send(urlOf(), {
      method: 'POST',
      headers: { 'X-Api-Key': keys['employees:write'] },
    });
    expect(answer.statusCode).toBe(202);
    expect(behind.uploads).toMatchObject([
      { head: { content_encoding: '', content_type: '', idempotency_key: null }, outcome: 'whole' },
    ]);
  });

  it('passes on a body of 24 MiB', async () => {
    const body = Buffer.alloc(24 * 1024 * 1024, 'x');
    expect((await post(body)).status).toBe(202);
    expect(Buffer.concat(behind.uploads[0]?.body ?? []).equals(body)).toBe(true);
  });

  it('returns 400 with the field errors of the service while the body is still arriving', async () => {
    const response = await post(Buffer.concat([Buffer.from('wrong'), Buffer.alloc(8 * 1024 * 1024, 'x')]));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      errors: [{ pointer: '/employees', detail: 'must be an array' }],
      errors_total: 1,
    });
  });

  it('returns 404 before the body is read, on a connection that stays open for the response', async () => {
    const response = await post(Buffer.alloc(8 * 1024 * 1024, 'x'), { 'Content-Type': 'text/not-connected' });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ detail: 'The REST API integration is not connected.' });
  });

  it('returns 400 for a query parameter', async () => {
    const response = await post(Buffer.from('{}'), {}, '?dry_run=true');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ parameter: 'dry_run' }] });
    expect(behind.uploads).toMatchObject([{ body: [] }]);
  });

  it('returns 404 rather than 400 for a query parameter when not connected [AUTH-ORDER-1]', async () => {
    const response = await post(Buffer.from('{}'), { 'Content-Type': 'text/not-connected' }, '?dry_run=true');
    expect(response.status).toBe(404);
  });

  it('ends the upload as incomplete when the client disconnects', async () => {
    for (let n = 0; n < 10; n++) {
      const request = open({ 'Content-Length': '1000000' });
      request.on('error', () => {}).write('x'.repeat(100_000));
      while (Buffer.concat(behind.uploads[n]?.body ?? []).length !== 100_000) await sleep(5);
      request.destroy();
    }
    await sleep(100);
    expect(behind.uploads.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 10 }, () => 'cut off'));
  });

  it('sends 100 Continue only when the key may import', async () => {
    const allowed = open({ Expect: '100-continue', 'Content-Length': '2' });
    await once(allowed, 'continue');
    allowed.end('{}');
    expect((await answerTo(allowed)).statusCode).toBe(202);

    const rejected = open({ Expect: '100-continue', 'Content-Length': '2', 'X-Api-Key': keys.read });
    rejected.on('continue', () => rejected.destroy(new Error('was asked for the body')));
    const answer = await answerTo(rejected);
    expect(answer.statusCode).toBe(403);
    expect(answer.headers.connection).toBe('close');
  });
});

describe('a request with trailing or malformed bytes', () => {
  const head = (more: string): string =>
    `POST /v1/employees/imports HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${keys['employees:write']}\r\n${more}\r\n\r\n`;
  const statusesIn = (answer: string): number[] =>
    [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

  /** Opens a connection, and collects what arrives on it. */
  function openSocket() {
    const { hostname, port } = new URL(urlOf());
    const socket = connect(Number(port), hostname).on('error', () => {});
    const seen = { answer: '', closed: once(socket, 'close') };
    socket.setEncoding('latin1').on('data', (text) => (seen.answer += String(text)));
    return { socket, seen };
  }

  it.each([
    ['junk', 'Content-Length: 2', '{}junk\r\n\r\n'],
    ['a body longer than its Content-Length', 'Content-Length: 2', '{}{"employees":[]}'],
    ['a TLS handshake', 'Content-Length: 2', '{}\x16\x03\x01'],
    ['half a malformed request', 'Content-Length: 2', '{}GET / HTTP/1.1\r\nHost : a\r\n\r\n'],
    ['a chunked body and junk', 'Transfer-Encoding: chunked', '2\r\n{}\r\n0\r\n\r\njunk\r\n\r\n'],
  ])('gets 202 and nothing else when %s follows while it is pending', async (_what, header, rest) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    behind.untilImported = promise;
    const { socket, seen } = openSocket();
    socket.write(`${head(header)}${rest}`, 'latin1');
    await expect.poll(() => behind.uploads[0]?.outcome).toBe('whole');
    // The parser reports an error for each further packet.
    socket.write('more junk\r\n\r\n');
    await sleep(50);
    expect(seen.answer).toBe('');
    resolve();
    await seen.closed;
    expect(statusesIn(seen.answer)).toEqual([202]);
  });

  it('gets 400 and nothing else when its body is malformed, and imports nothing', async () => {
    const { socket, seen } = openSocket();
    socket.write(`${head('Transfer-Encoding: chunked')}2\r\n{"\r\n`);
    await expect.poll(() => behind.uploads[0]?.body).toHaveLength(1);
    socket.write('xyz\r\n');
    await seen.closed;
    expect(statusesIn(seen.answer)).toEqual([400]);
    expect(seen.answer).toContain('The size of a chunk of the body is not valid.');
    expect(behind.uploads.map(({ outcome }) => outcome)).toEqual(['cut off']);
  });

  it('gets its response after those of earlier requests', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    behind.untilImported = promise;
    const { socket, seen } = openSocket();
    socket.write(`${head('Content-Length: 2')}{}${head('Transfer-Encoding: chunked')}2\r\n{"\r\nxyz\r\n`);
    await expect.poll(() => behind.uploads[0]?.outcome).toBe('whole');
    await sleep(50);
    resolve();
    await seen.closed;
    expect(statusesIn(seen.answer)).toEqual([202, 400]);
  });
});
