import { expect, it } from 'vitest';
import { LargeResult } from './large-result.ts';

it('admits one large result at a time, the account with fewer first, and rejects those that an account has too many of', async () => {
  const admitted: number[] = [];
  const ask = async (accountId: number): Promise<void> => {
    using result = new LargeResult(accountId);
    await result.admit();
    // Another statement of the same request.
    await result.admit();
    admitted.push(accountId);
  };
  const first = new LargeResult(1);
  await first.admit();
  const waiting = [1, 1, 1, 1, 1, 2].map(ask);
  await expect(waiting[4]).rejects.toThrow('the queue of the account is full');
  expect(admitted).toEqual([]);
  first[Symbol.dispose]();
  await Promise.all(waiting.toSpliced(4, 1));
  expect(admitted.indexOf(2)).toBeLessThan(2);
});

it('frees the place of a request that ends while it waits', async () => {
  using first = new LargeResult(1);
  await first.admit();
  const leaving = new LargeResult(2);
  const left = leaving.admit();
  leaving[Symbol.dispose]();
  await expect(left).rejects.toThrow('aborted');
  first[Symbol.dispose]();
  using next = new LargeResult(3);
  await next.admit();
});
