import { gzipSync } from 'node:zlib';
import type { Socket } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { startFileStack } from '../support/file-stack.ts';
import { open } from '../support/raw-http.ts';
import { R, records } from '../support/records.ts';

// R11 at the size of CI: 200 connections of clients that are slow on purpose, beside one that is not.
const { api, operator, importAndWait, stack } = await startFileStack();
const gateway = stack.services.gateway.address;
const account = await operator.createAccount();
const bystander = await operator.createAccount();
await importAndWait(bystander, [R(1)]);

const sockets: Socket[] = [];
afterAll(() => {
  for (const socket of sockets) socket.destroy();
});

interface SlowClient {
  // Milliseconds until the gateway closed the connection, and what it had said.
  readonly closed: Promise<{ afterMs: number; said: string }>;
}

/** Sends a beginning, then a byte each second. */
function slowClient(beginning: string, byte = 'x'): SlowClient {
  const socket = open(gateway);
  sockets.push(socket);
  const startedAt = performance.now();
  let said = '';
  socket.setEncoding('latin1').on('data', (text) => (said += String(text)));
  socket.write(beginning);
  const dribble = setInterval(() => socket.writable && socket.write(byte), 1_000);
  const closed = new Promise<{ afterMs: number; said: string }>((resolve) => {
    socket.once('close', () => {
      clearInterval(dribble);
      resolve({ afterMs: performance.now() - startedAt, said });
    });
  });
  return { closed };
}

/** Begins to read after a while: what was not cut off by then comes whole. */
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
    // A connection that was not cut off stays open.
    if (receivedBytes >= expectedBytes) socket.destroy();
  });
  return new Promise((resolve) => socket.once('close', () => resolve({ expectedBytes, receivedBytes })));
}

const many = (count: number, beginning: string, byte?: string) =>
  Promise.all(Array.from({ length: count }, () => slowClient(beginning, byte).closed));

/** How long the bystander waits for each answer while the others hold their connections. */
async function bystanderWaits(until: Promise<unknown>): Promise<number[]> {
  let isOver = false;
  void until.finally(() => (isOver = true));
  const waits: number[] = [];
  while (!isOver) {
    const startedAt = performance.now();
    expect(await api.get('/v1/employees', bystander.readKey)).toMatchObject({ status: 200 });
    waits.push(performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return waits;
}

const head = (...lines: string[]): string => `${lines.join('\r\n')}\r\n`;
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
// On a machine that does much else.
const LEEWAY_MS = 5_000;
const QUEUE_TIMEOUT_MS = 10_000;

describe('a client that is slow on purpose is dropped, and nobody else waits for it [R11]', () => {
  it('headers that dribble, with and without a key: 408 within 5 s', async () => {
    const start = head('GET /v1/employees HTTP/1.1', 'Host: a', `X-Api-Key: ${account.readKey}`);
    const closing = Promise.all([many(50, `${start}X-Slow: `), many(50, 'GET / HTTP/1.1\r\nX')]);
    const waits = await bystanderWaits(closing);
    for (const { afterMs, said } of (await closing).flat()) {
      expect(said).toContain('408 Request Timeout');
      expect(afterMs).toBeLessThan(7_000 + LEEWAY_MS);
    }
    expect(median(waits)).toBeLessThan(1_000);
  });

  it('a body that dribbles: 401 at once without a key, 408 after ten seconds with one', async () => {
    const start = (key: string): string =>
      `${head('POST /v1/employees/imports HTTP/1.1', 'Host: a', 'Content-Length: 100000', `X-Api-Key: ${key}`)}\r\n{"employees":[`;
    const closing = Promise.all([many(25, start('none')), many(25, start(account.writeKey), ' ')]);
    const waits = await bystanderWaits(closing);
    const [without, withKey] = await closing;
    for (const { afterMs, said } of without) {
      expect(said).toContain('401 Unauthorized');
      expect(afterMs).toBeLessThan(6_000 + LEEWAY_MS);
    }
    // Only some bodies of one account are read at a time; the rest of its uploads are queued for up to ten seconds.
    expect(withKey.some(({ said }) => said.includes('408 Request Timeout'))).toBe(true);
    for (const { afterMs, said } of withKey) {
      expect(said).toMatch(/408 Request Timeout|503 Service Unavailable/);
      expect(afterMs).toBeLessThan(13_000 + QUEUE_TIMEOUT_MS + LEEWAY_MS);
    }
    expect(median(waits)).toBeLessThan(1_000);
    // Nothing of it was kept.
    expect(await importAndWait(account, [R(1)])).toMatchObject({ state: 'applied' });
  });

  it('an answer that is not read: the connection is closed after ten seconds', { timeout: 120_000 }, async () => {
    const wide = await operator.createAccount();
    const attributes = Array.from({ length: 60 }, (_, n) => ({ name: `Attribute ${n}`, value: { name: 'v'.repeat(40) } }));
    const employees = records(1, 1_000).map((record) => ({ ...record, attributes }));
    const answer = await api.post('/v1/employees/imports', gzipSync(JSON.stringify({ employees })), wide.writeKey, {
      'content-encoding': 'gzip',
    });
    await operator.importEnded(wide.accountId, String(Object(answer.body).import_uuid));
    const start = head('GET /v1/employees?limit=1000 HTTP/1.1', 'Host: a', `X-Api-Key: ${wide.readKey}`);
    // Far larger than what the kernel takes in place of the client.
    const readers = Array.from({ length: 3 }, () => lateReader(`${start}\r\n`, 11_000 + LEEWAY_MS));
    const waits = await bystanderWaits(Promise.all(readers));
    // On a busy machine some pages are late, and a refusal is soon read.
    const pages = (await Promise.all(readers)).filter(({ expectedBytes }) => expectedBytes > 5_000_000);
    expect(pages.length).toBeGreaterThan(0);
    for (const { expectedBytes, receivedBytes } of pages) expect(receivedBytes).toBeLessThan(expectedBytes);
    expect(median(waits)).toBeLessThan(1_000);
    expect((await api.get('/v1/employees?limit=100', wide.readKey)).status).toBe(200);
  });
});
