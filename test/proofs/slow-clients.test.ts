import { gzipSync } from 'node:zlib';
import type { Socket } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { startFileStack } from '../support/file-stack.ts';
import { open } from '../support/raw-http.ts';
import { R, records } from '../support/records.ts';

// A small size: 200 deliberately slow connections beside a normal client.
const { api, operator, importAndWait, stack } = await startFileStack();
const gateway = stack.services.gateway.address;
const account = await operator.createAccount();
const other = await operator.createAccount();
await importAndWait(other, [R(1)]);

const sockets: Socket[] = [];
afterAll(() => {
  for (const socket of sockets) socket.destroy();
});

interface SlowClient {
  // Milliseconds until the gateway closed the connection, and the received data.
  readonly closed: Promise<{ afterMs: number; received: string }>;
}

/** Sends the start of a request and then one byte per second. */
function slowClient(beginning: string, byte = 'x'): SlowClient {
  const socket = open(gateway);
  sockets.push(socket);
  const startedAt = performance.now();
  let received = '';
  socket.setEncoding('latin1').on('data', (text) => (received += String(text)));
  socket.write(beginning);
  const sendSlowly = setInterval(() => socket.writable && socket.write(byte), 1_000);
  const closed = new Promise<{ afterMs: number; received: string }>((resolve) => {
    socket.once('close', () => {
      clearInterval(sendSlowly);
      resolve({ afterMs: performance.now() - startedAt, received });
    });
  });
  return { closed };
}

/** Starts reading after a delay; a response that was not aborted by then is complete. */
function lateReader(request: string, afterMs: number): Promise<{ expectedBytes: number; receivedBytes: number }> {
  const socket = open(gateway).pause();
  sockets.push(socket);
  socket.write(request);
  setTimeout(() => socket.resume(), afterMs);
  let expectedBytes = 0;
  let receivedBytes = 0;
  socket.on('data', (chunk: Buffer) => {
    expectedBytes ||= Number(/Content-Length: (\d+)/.exec(chunk.toString('latin1'))?.[1] ?? 0);
    receivedBytes += chunk.length;
    // A connection that is not closed stays open.
    if (receivedBytes >= expectedBytes) socket.destroy();
  });
  return new Promise((resolve) => socket.once('close', () => resolve({ expectedBytes, receivedBytes })));
}

const many = (count: number, beginning: string, byte?: string) =>
  Promise.all(Array.from({ length: count }, () => slowClient(beginning, byte).closed));

/** Returns the response times of a normal client while slow clients hold their connections. */
async function normalResponseTimes(until: Promise<unknown>): Promise<number[]> {
  let isOver = false;
  void until.finally(() => (isOver = true));
  const waits: number[] = [];
  while (!isOver) {
    const startedAt = performance.now();
    expect(await api.get('/v1/employees', other.readKey)).toMatchObject({ status: 200 });
    waits.push(performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return waits;
}

const head = (...lines: string[]): string => `${lines.join('\r\n')}\r\n`;
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
// Tolerance for a busy machine.
const LEEWAY_MS = 5_000;
const QUEUE_TIMEOUT_MS = 10_000;

describe('a slow client is disconnected and does not delay others', () => {
  it.concurrent('with 408 within 5 s when it sends headers slowly, with or without a key', async () => {
    const start = head('GET /v1/employees HTTP/1.1', 'Host: a', `X-Api-Key: ${account.readKey}`);
    const closing = Promise.all([many(50, `${start}X-Slow: `), many(50, 'GET / HTTP/1.1\r\nX')]);
    const waits = await normalResponseTimes(closing);
    for (const { afterMs, received } of (await closing).flat()) {
      expect(received).toContain('408 Request Timeout');
      expect(afterMs).toBeLessThan(7_000 + LEEWAY_MS);
    }
    expect(median(waits)).toBeLessThan(1_000);
  });

  it.concurrent('with 401 immediately without a key, or 408 after 10 s with one, when it sends a body slowly', async () => {
    const start = (key: string): string =>
      `${head('POST /v1/employees/imports HTTP/1.1', 'Host: a', 'Content-Length: 100000', `X-Api-Key: ${key}`)}\r\n{"employees":[`;
    const closing = Promise.all([many(25, start('none')), many(25, start(account.writeKey), ' ')]);
    const waits = await normalResponseTimes(closing);
    const [without, withKey] = await closing;
    for (const { afterMs, received } of without) {
      expect(received).toContain('401 Unauthorized');
      expect(afterMs).toBeLessThan(6_000 + LEEWAY_MS);
    }
    // Concurrent uploads of an account are limited; further uploads are queued for up to 10 s.
    expect(withKey.some(({ received }) => received.includes('408 Request Timeout'))).toBe(true);
    for (const { afterMs, received } of withKey) {
      expect(received).toMatch(/408 Request Timeout|503 Service Unavailable/);
      expect(afterMs).toBeLessThan(13_000 + QUEUE_TIMEOUT_MS + LEEWAY_MS);
    }
    expect(median(waits)).toBeLessThan(1_000);
    // No data of the uploads is stored.
    expect(await importAndWait(account, [R(1)])).toMatchObject({ state: 'applied' });
  });

  it('after 10 s when it does not read a response', { timeout: 120_000 }, async () => {
    const wide = await operator.createAccount();
    const attributes = Array.from({ length: 60 }, (_, n) => ({ name: `Attribute ${n}`, value: { name: 'v'.repeat(40) } }));
    const employees = records(1, 1_000).map((record) => ({ ...record, attributes }));
    const answer = await api.post('/v1/employees/imports', gzipSync(JSON.stringify({ employees })), wide.writeKey, {
      'content-encoding': 'gzip',
    });
    await operator.importEnded(wide.accountId, String(Object(answer.body).import_uuid));
    const start = head('GET /v1/employees?limit=1000 HTTP/1.1', 'Host: a', `X-Api-Key: ${wide.readKey}`);
    // Much larger than the socket buffers of the kernel.
    const readers = Array.from({ length: 3 }, () => lateReader(`${start}\r\n`, 11_000 + LEEWAY_MS));
    const waits = await normalResponseTimes(Promise.all(readers));
    // On a busy machine some pages are rejected, and a small error response is read completely.
    const pages = (await Promise.all(readers)).filter(({ expectedBytes }) => expectedBytes > 5_000_000);
    expect(pages.length).toBeGreaterThan(0);
    for (const { expectedBytes, receivedBytes } of pages) expect(receivedBytes).toBeLessThan(expectedBytes);
    expect(median(waits)).toBeLessThan(1_000);
    expect((await api.get('/v1/employees?limit=100', wide.readKey)).status).toBe(200);
  });
});
