import { Redis } from 'ioredis';
import { afterEach, expect, it, vi } from 'vitest';
import { openRequestCount } from './request-count.ts';

afterEach(() => vi.useRealTimers());

it('keeps the remaining time of a window when the system clock is set back by two hours', async () => {
  await using resources = new AsyncDisposableStack();
  const redis = new Redis('redis://127.0.0.1:1', { lazyConnect: true });
  const count = openRequestCount(redis, { resources });
  expect(count.add('k')).toEqual({ requests: 1, resetsInMs: expect.closeTo(60_000, -3) });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 2 * 60 * 60 * 1_000 });
  const { requests, resetsInMs } = count.add('k');
  expect(requests).toBe(2);
  expect(resetsInMs).toBeLessThanOrEqual(60_000);
  expect(resetsInMs).toBeGreaterThan(50_000);
});
