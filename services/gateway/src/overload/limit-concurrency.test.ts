import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import type { ApiCall, Endpoint } from '../endpoints/route.ts';
import { limitConcurrency } from './limit-concurrency.ts';

// Only the fields that the limiter reads.
const callOf = (name: string, accountId = 1, contentLength = 0, statusCode = 200): ApiCall =>
  ({
    request: { url: name },
    response: Object.assign(new EventEmitter(), { statusCode, getHeader: () => contentLength }),
    caller: { requestId: 'a', accountId },
    signal: new AbortController().signal,
    receivedAt: performance.now(),
  }) as unknown as ApiCall;

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const open = (maxConcurrentReads = 32) => limitConcurrency({ maxConcurrentReads, maxConcurrentHeavyReadsPerAccount: 8 });

/** Lists of one service. `started` has account and size of each page that runs until `end()`. */
function lists({ list }: ReturnType<ReturnType<typeof open>['upstream']>) {
  const started: string[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const listOf = (pageSize: number): Endpoint =>
    list(({ caller }) => ({
      pageSize,
      respond: async () => {
        started.push(`${caller.accountId}:${pageSize}`);
        await ended;
      },
    }));
  return { started, end, listOf };
}

it('runs large pages in 1/16 of the read slots over all lists of a service, and small pages beside them', async () => {
  const { started, end, listOf } = lists(open().upstream());
  const calls = [1000, 201, 500, 200].map((pageSize) => listOf(pageSize)(callOf('a')));
  await settled();
  expect(started).toEqual(['1:1000', '1:201', '1:200']);
  end();
  await Promise.all(calls);
  expect(started.at(-1)).toBe('1:500');
});

it('queues large pages of many accounts', async () => {
  const page = open()
    .upstream()
    .list(() => ({ pageSize: 1000, respond: settled }));
  const calls = Array.from({ length: 100 }, (_, n) => page(callOf('a', 1 + (n % 13))));
  expect((await Promise.allSettled(calls)).filter(({ status }) => status === 'rejected')).toEqual([]);
});

it('runs one page at a time for an account whose last page was huge, and pages of other accounts beside it', async () => {
  const { list } = open(64).upstream();
  const started: (number | undefined)[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const page = list(({ request, caller }) => ({
    pageSize: 1000,
    respond: async () => {
      if (request.url !== '/wait') return;
      started.push(caller.accountId);
      await ended;
    },
  }));
  for (const accountId of [1, 2]) await page(callOf('/a', accountId, 3_000_000));
  // A 304 has no size.
  await page(callOf('/a', 1, 0, 304));
  const calls = [1, 2, 3].map((accountId) => page(callOf('/wait', accountId)));
  await settled();
  expect(started).toEqual([1, 3]);
  end();
  await Promise.all(calls);
  expect(started).toEqual([1, 3, 2]);
});

it('rejects a page while its account has not read 32 MiB, and huge ones while all have not read 96 MiB', async () => {
  const { list } = open().upstream();
  const mebibytes = (size: number): Endpoint =>
    list(() => ({ pageSize: 1, respond: (hold) => Promise.resolve(hold(size * 2 ** 20)) }));
  const unread = [1, 2, 3].map((accountId) => callOf('/', accountId));
  for (const call of unread) await mebibytes(30)(call);
  await expect(mebibytes(3)(callOf('/', 1))).rejects.toMatchObject({ status: 429 });
  await expect(mebibytes(30)(callOf('/', 4))).rejects.toMatchObject({ status: 503 });
  await mebibytes(1)(callOf('/', 4));
  unread[0]?.response.emit('close');
  await mebibytes(30)(callOf('/', 4));
  await mebibytes(3)(callOf('/', 1));
});

it('queues uploads of 300 accounts at once', async () => {
  const upload = open().upload(() => settled());
  const calls = Array.from({ length: 300 }, (_, n) => upload(callOf('/', n + 1)));
  expect((await Promise.allSettled(calls)).filter(({ status }) => status === 'rejected')).toEqual([]);
});

it('leaves upload slots to other accounts while the uploads of one account do not end [IMPORT-LIFECYCLE-ONE-1]', async () => {
  const started: (number | undefined)[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const upload = open().upload(async ({ caller }) => {
    started.push(caller.accountId);
    await ended;
  });
  const slow = Array.from({ length: 64 }, () => upload(callOf('/')));
  const other = upload(callOf('/', 2));
  await settled();
  expect(started.filter((accountId) => accountId === 1)).toHaveLength(8);
  expect(started.at(-1)).toBe(2);
  end();
  await Promise.all([...slow, other]);
});
