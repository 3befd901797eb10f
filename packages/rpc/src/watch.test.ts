import { once } from 'node:events';
import { startService, type Service } from '@survey/process/service.ts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ImportProgress } from '@survey/proto/common/v1/import_outcome.ts';
import { AccountAdminServiceDefinition } from '@survey/proto/admin/v1/admin.ts';
import { serve, type Handlers } from './serve.ts';
import { connectUpstream, type Upstream } from './upstream.ts';

const definition = {
  ...AccountAdminServiceDefinition,
  methods: { watchImport: AccountAdminServiceDefinition.methods.watchImport },
};
type Definition = typeof definition;

const REQUEST = { account_id: 1, import_uuid: '' };
// Larger than all buffers in between.
const LARGE: ImportProgress = { state: 'x'.repeat(1024 * 1024), phase: '', done: 0, total: 0 };
const options = { caller: { requestId: 'r', accountId: 1 }, deadlineMs: 60_000 };

let service: Service;
let upstream: Upstream<Definition>;
let handle: Handlers<Definition>['watchImport'];

beforeEach(async () => {
  service = await startService('watched', { PROBE_LISTEN: '127.0.0.1:0', LOG_LEVEL: 'silent' }, async (context) => {
    const address = await serve('127.0.0.1:0', definition, { watchImport: (request, call) => handle(request, call) }, context);
    upstream = context.resources.use(connectUpstream(definition, address, context));
    return { address, ready: () => Promise.resolve(true) };
  });
});
afterEach(() => service[Symbol.asyncDispose]());

/** A handler that counts sent messages and reports its end. */
function endlessHandler(message: ImportProgress) {
  const state = { sent: 0, isEnded: false };
  handle = async function* () {
    try {
      for (;;) {
        yield message;
        state.sent += 1;
      }
    } finally {
      state.isEnded = true;
    }
  };
  return state;
}

async function untilFull(state: { sent: number }): Promise<void> {
  await expect.poll(() => state.sent).toBeGreaterThan(0);
  await vi.waitFor(async () => {
    const before = state.sent;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(state.sent).toBe(before);
  }, 10_000);
}

describe('a handler of a server stream', () => {
  it('ends within a second when its reader leaves while the stream is full', async () => {
    const state = endlessHandler(LARGE);
    const leaving = new AbortController();
    const stream = upstream.watchImport(REQUEST, { ...options, signal: leaving.signal });
    const messages = stream[Symbol.asyncIterator]();
    await messages.next();
    await untilFull(state);
    leaving.abort();
    await vi.waitFor(() => expect(state.isEnded).toBe(true), 1_000);
  });

  it('ends within a second when the deadline passes while the stream is full', async () => {
    const state = endlessHandler(LARGE);
    const messages = upstream.watchImport(REQUEST, { ...options, deadlineMs: 2_000 })[Symbol.asyncIterator]();
    await messages.next();
    await vi.waitFor(() => expect(state.isEnded).toBe(true), 3_000);
  });

  it('has an aborted signal when its reader leaves while it waits', async () => {
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    handle = async function* (_request, { signal }) {
      yield { ...LARGE, state: '' };
      await once(signal, 'abort');
      resolve();
    };
    for await (const _ of upstream.watchImport(REQUEST, options)) break;
    await expect(aborted).resolves.toBeUndefined();
  });
});

describe('a watch', () => {
  it('does not begin when it is not read', async () => {
    const state = endlessHandler(LARGE);
    upstream.watchImport(REQUEST, options);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(state.sent).toBe(0);
  });

  it('is cancelled at once when its signal is already aborted', async () => {
    endlessHandler(LARGE);
    const messages = upstream.watchImport(REQUEST, { ...options, signal: AbortSignal.abort() });
    await expect(messages[Symbol.asyncIterator]().next()).rejects.toThrow('CANCELLED');
  });
});
