import { Redis } from 'ioredis';
import { afterEach, expect, it, vi } from 'vitest';
import { openRequestCount } from './limit-rate.ts';

afterEach(() => vi.useRealTimers());

it('says a remaining time within the window, and keeps it when the system clock is set back by two hours', async () => {
  await using resources = new AsyncDisposableStack();
  const redis = new Redis('redis://127.0.0.1:1', { lazyConnect: true });
  const count = openRequestCount(redis, { resources });
  expect(count.add('k')).toEqual({ requests: 1, resetsInMs: expect.closeTo(60_000, -3) });
  const others = Array.from({ length: 1_000 }, (_, n) => count.add(`k${n}`).resetsInMs);
  expect(Math.max(...others)).toBeLessThanOrEqual(60_000);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 2 * 60 * 60 * 1_000 });
  const { requests, resetsInMs } = count.add('k');
  expect(requests).toBe(2);
  expect(resetsInMs).toBeLessThanOrEqual(60_000);
  expect(resetsInMs).toBeGreaterThan(50_000);
});
