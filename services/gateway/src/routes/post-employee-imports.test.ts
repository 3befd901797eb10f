import { once } from 'node:events';
import { request as httpRequest, type ClientRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Service } from '@survey/process/service.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answerTo, Behind, keys, send, startAppUnderTest } from '../app-under-test.ts';

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

/** Sends the headers, and leaves the body to the test. */
function open(headers: Record<string, string>): ClientRequest {
  const request = httpRequest(urlOf(), { method: 'POST', headers: { ...withKey, ...headers } });
  request.flushHeaders();
  return request;
}

describe('POST /v1/employees/imports', () => {
  it('202, with the body and its headers passed on as they came', async () => {
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

  it('an absent body, content type and encoding are for the service to judge', async () => {
    const answer = await send(urlOf(), {
      method: 'POST',
      headers: { 'X-Api-Key': keys['employees:write'] },
    });
    expect(answer.statusCode).toBe(202);
    expect(behind.uploads).toMatchObject([
      { head: { content_encoding: '', content_type: '', idempotency_key: null }, outcome: 'whole' },
    ]);
  });

  it('carries many megabytes', async () => {
    const body = Buffer.alloc(24 * 1024 * 1024, 'x');
    expect((await post(body)).status).toBe(202);
    expect(Buffer.concat(behind.uploads[0]?.body ?? []).equals(body)).toBe(true);
  });

  it('400 with the findings of the service, while the body is still coming', async () => {
    const response = await post(Buffer.concat([Buffer.from('wrong'), Buffer.alloc(8 * 1024 * 1024, 'x')]));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      errors: [{ pointer: '/employees', detail: 'must be an array' }],
      errors_total: 1,
    });
  });

  it('404 before the body was read, and the connection can carry the answer', async () => {
    const response = await post(Buffer.alloc(8 * 1024 * 1024, 'x'), { 'Content-Type': 'text/not-connected' });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ detail: 'the REST API integration is not connected' });
  });

  it('400 for a query parameter', async () => {
    const response = await post(Buffer.from('{}'), {}, '?dry_run=true');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ parameter: 'dry_run' }] });
    expect(behind.uploads).toMatchObject([{ body: [] }]);
  });

  it('Z18 404 comes before a query parameter', async () => {
    const response = await post(Buffer.from('{}'), { 'Content-Type': 'text/not-connected' }, '?dry_run=true');
    expect(response.status).toBe(404);
  });

  it('a client that breaks off: the service is told that the body is not whole', async () => {
    for (let n = 0; n < 10; n++) {
      const request = open({ 'Content-Length': '1000000' });
      request.on('error', () => {}).write('x'.repeat(100_000));
      while (Buffer.concat(behind.uploads[n]?.body ?? []).length !== 100_000) await sleep(5);
      request.destroy();
    }
    await sleep(100);
    expect(behind.uploads.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 10 }, () => 'cut off'));
  });

  it('asks a client that waits for 100 Continue only when the key may import', async () => {
    const allowed = open({ Expect: '100-continue', 'Content-Length': '2' });
    await once(allowed, 'continue');
    allowed.end('{}');
    expect((await answerTo(allowed)).statusCode).toBe(202);

    const refused = open({ Expect: '100-continue', 'Content-Length': '2', 'X-Api-Key': keys.read });
    refused.on('continue', () => refused.destroy(new Error('was asked for the body')));
    const answer = await answerTo(refused);
    expect(answer.statusCode).toBe(403);
    expect(answer.headers.connection).toBe('close');
  });
});
