import { setTimeout as sleep } from 'node:timers/promises';
import { startService, type Service } from '@survey/process/service.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ImportServiceDefinition, type StartImportRequest } from '@survey/proto/imports/v1/imports.ts';
import { conflict } from './application-error.ts';
import { serve, type Handlers } from './serve.ts';
import { connectUpstream, type Upstream } from './upstream.ts';

// The only call that takes uploads.
const definition = { ...ImportServiceDefinition, methods: { startImport: ImportServiceDefinition.methods.startImport } };
type Definition = typeof definition;

// Short, so that connections are renewed during every longer call.
const RENEW_INTERVAL_MS = 300;
const CHUNK = Buffer.alloc(64 * 1024);
const options = { caller: { requestId: 'r', accountId: 1 }, deadlineMs: 100_000 };

let service: Service;
let upstream: Upstream<Definition>;
let connect: (renewIntervalMs: number) => Upstream<Definition>;
let handle: Handlers<Definition>['startImport'];

beforeEach(async () => {
  service = await startService('receiver', { PROBE_LISTEN: '127.0.0.1:0', LOG_LEVEL: 'silent' }, async (context) => {
    const handlers: Handlers<Definition> = { startImport: (requests, call) => handle(requests, call) };
    const address = await serve('127.0.0.1:0', definition, handlers, context);
    connect = (renewIntervalMs) => context.resources.use(connectUpstream(definition, address, context, { renewIntervalMs }));
    upstream = connect(RENEW_INTERVAL_MS);
    return { address, ready: () => Promise.resolve(true) };
  });
});
afterEach(() => service[Symbol.asyncDispose]());

/** Yields chunks and counts them. */
function source(count: number) {
  const state = { sent: 0 };
  async function* chunks(): AsyncGenerator<StartImportRequest> {
    for (; state.sent < count; state.sent++) yield { chunk: CHUNK };
  }
  return { state, chunks: chunks() };
}

async function bytesOf(requests: AsyncIterable<StartImportRequest>): Promise<number> {
  let bytes = 0;
  for await (const { chunk } of requests) bytes += chunk?.length ?? 0;
  return bytes;
}

it('sends all messages and returns the response', async () => {
  handle = async (requests) => ({ import_uuid: String(await bytesOf(requests)), is_replay: false });
  expect(await upstream.startImport(source(500).chunks, options)).toEqual({
    import_uuid: String(500 * CHUNK.length),
    is_replay: false,
  });
});

it('accepts a source without messages', async () => {
  handle = async (requests) => ({ import_uuid: String(await bytesOf(requests)), is_replay: false });
  expect(await upstream.startImport(source(0).chunks, options)).toEqual({ import_uuid: '0', is_replay: false });
});

it('sends no faster than the service reads', async () => {
  const { state, chunks } = source(500);
  let sentMeanwhile = 0;
  handle = async (requests) => {
    await sleep(300);
    sentMeanwhile = state.sent;
    return { import_uuid: String(await bytesOf(requests)), is_replay: false };
  };
  await upstream.startImport(chunks, options);
  expect(sentMeanwhile).toBeLessThan(200);
});

it('settles with an application error as soon as it arrives, and stops reading', async () => {
  handle = async (requests) => {
    for await (const _ of requests) throw conflict('another import is running');
    throw new Error('nothing came');
  };
  const { state, chunks } = source(100_000);
  await expect(upstream.startImport(chunks, options)).rejects.toMatchObject({ code: 'conflict' });
  const { sent } = state;
  await sleep(100);
  expect(state.sent - sent).toBeLessThan(2);
});

describe('never completes an upload that is cut off', () => {
  const outcomes: unknown[] = [];
  beforeEach(() => {
    outcomes.length = 0;
    handle = async (requests) => {
      const outcome = await bytesOf(requests).catch((error: unknown) => error);
      outcomes.push(outcome);
      throw new Error('nobody listens');
    };
  });
  // A call that is cancelled at once may not even reach the service.
  const everyOneFailed = async () => {
    await sleep(200);
    expect(outcomes.length).toBeGreaterThan(0);
    expect(outcomes.filter((outcome) => !(outcome instanceof Error))).toEqual([]);
  };

  it("when the source fails, with the source's error as the outcome", async () => {
    async function* failing(chunks: number): AsyncGenerator<StartImportRequest> {
      for (let n = 0; n < chunks; n++) yield { chunk: CHUNK };
      throw new Error('the client broke off');
    }
    for (let n = 0; n < 50; n++) {
      await expect(upstream.startImport(failing(1 + (n % 30)), options)).rejects.toThrow('the client broke off');
    }
    await everyOneFailed();
  });

  it('when the caller cancels', async () => {
    for (let n = 0; n < 50; n++) {
      const signal = AbortSignal.timeout(n % 20);
      await expect(upstream.startImport(source(1e9).chunks, { ...options, signal })).rejects.toThrow('CANCELLED');
    }
    await everyOneFailed();
  });

  it('when the deadline passes', async () => {
    await expect(upstream.startImport(source(1e9).chunks, { ...options, deadlineMs: 1_000 })).rejects.toThrow(
      'DEADLINE_EXCEEDED',
    );
    await everyOneFailed();
  });
});

it('keeps other uploads of a session when many callers cancel', async () => {
  const { promise: end, resolve: finish } = Promise.withResolvers<void>();
  async function* chunks(): AsyncGenerator<StartImportRequest> {
    yield { chunk: CHUNK };
    await end;
  }
  // A session that is renewed would not reach node's limit of 1,000 resets.
  const lasting = connect(60_000);
  const upload = (signal?: AbortSignal) => lasting.startImport(chunks(), { ...options, ...(signal && { signal }) });
  handle = async (requests) => ({ import_uuid: String(await bytesOf(requests)), is_replay: false });
  const other = upload();
  for (let n = 0; n < 15; n++) {
    const leaving = Array.from({ length: 100 }, () => upload(AbortSignal.timeout(50)));
    const outcomes = await Promise.allSettled(leaving);
    expect(outcomes.map(({ status }) => status)).not.toContain('fulfilled');
  }
  finish();
  expect(await other).toEqual({ import_uuid: String(CHUNK.length), is_replay: false });
});

it('is invalid when the user on whose behalf it is made cannot be read', async () => {
  const onBehalfOf = { kind: 'admin', employeeId: NaN, issuer: '', subject: '' } as const;
  const upload = upstream.startImport(source(1).chunks, { ...options, caller: { requestId: 'r', onBehalfOf } });
  await expect(upload).rejects.toMatchObject({ code: 'invalid' });
});

it('cancels at once when the signal is already aborted', async () => {
  handle = async (requests) => ({ import_uuid: String(await bytesOf(requests)), is_replay: false });
  const upload = upstream.startImport(source(1e9).chunks, { ...options, signal: AbortSignal.abort() });
  await expect(upload).rejects.toThrow('CANCELLED');
});

it('lets uploads that take longer than the keepalive interval finish while connections are renewed', async () => {
  handle = async (requests) => ({ import_uuid: String(await bytesOf(requests)), is_replay: false });
  async function* slow(): AsyncGenerator<StartImportRequest> {
    for (let n = 0; n < 120; n += 1) {
      await sleep(100);
      yield { chunk: CHUNK };
    }
  }
  const uploads = Array.from({ length: 5 }, () => upstream.startImport(slow(), options));
  const uuids = (await Promise.all(uploads)).map(({ import_uuid }) => import_uuid);
  expect(new Set(uuids)).toEqual(new Set([String(120 * CHUNK.length)]));
});
