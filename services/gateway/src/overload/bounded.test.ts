import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import type { ApiCall, Endpoint } from '../route.ts';
import { boundReads, boundUploads } from './bounded.ts';

// Nothing else of a call matters here.
const callOf = (url: string, accountId = 1, contentLength = 0): ApiCall =>
  ({
    request: { url },
    response: Object.assign(new EventEmitter(), { getHeader: () => contentLength }),
    caller: { requestId: 'a', accountId },
    signal: new AbortController().signal,
    receivedAt: performance.now(),
  }) as unknown as ApiCall;

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('large pages have a sixteenth of the places, at all lists together, and small ones pass them', async () => {
  const begun: string[] = [];
  const { promise: done, resolve: finish } = Promise.withResolvers<void>();
  const endpoint: Endpoint = async ({ request }) => {
    begun.push(request.url);
    await done;
  };
  const bounded = boundReads({ readsAtOnce: 32, heavyReadsPerAccount: 8 });
  const [list, other] = [bounded(endpoint), bounded(endpoint)];
  const large = ['/a?limit=1000', '/b?limit=201', '/a?limit=500'];
  const calls = [
    list(callOf('/a?limit=1000')),
    other(callOf('/b?limit=201')),
    list(callOf('/a?limit=500')),
    list(callOf('/a?limit=200')),
  ];
  await settled();
  expect(begun).toHaveLength(3);
  expect(begun).toEqual(expect.arrayContaining([...large.slice(0, 2), '/a?limit=200']));
  finish();
  await Promise.all(calls);
  expect(begun.at(-1)).toBe('/a?limit=500');
});

test('large pages of many accounts at once find room to wait', async () => {
  const list = boundReads({ readsAtOnce: 32, heavyReadsPerAccount: 8 })(() => settled());
  const calls = Array.from({ length: 100 }, (_, n) => list(callOf('/a?limit=1000', 1 + (n % 13))));
  expect((await Promise.allSettled(calls)).filter(({ status }) => status === 'rejected')).toEqual([]);
});

test('pages of an account whose last one had megabytes are made one at a time, beside those of others', async () => {
  const begun: (number | undefined)[] = [];
  const { promise: done, resolve: finish } = Promise.withResolvers<void>();
  const list = boundReads({ readsAtOnce: 64, heavyReadsPerAccount: 8 })(async ({ request, caller }) => {
    if (request.url.startsWith('/wait')) begun.push(caller.accountId);
    if (request.url.startsWith('/wait')) await done;
  });
  for (const accountId of [1, 2]) await list(callOf('/a?limit=1000', accountId, 3_000_000));
  const calls = [1, 2, 3].map((accountId) => list(callOf('/wait?limit=1000', accountId)));
  await settled();
  expect(begun).toEqual([3, 1]);
  finish();
  await Promise.all(calls);
  expect(begun).toEqual([3, 1, 2]);
});

test('J06 an account whose uploads do not end leaves places to others', async () => {
  const begun: (number | undefined)[] = [];
  const { promise: done, resolve: finish } = Promise.withResolvers<void>();
  const upload = boundUploads(async ({ caller }) => {
    begun.push(caller.accountId);
    await done;
  });
  const slow = Array.from({ length: 80 }, () => upload(callOf('/')));
  const other = upload(callOf('/', 2));
  await settled();
  expect(begun.at(-1)).toBe(2);
  finish();
  await Promise.all([...slow, other]);
});
