import { describe, expect, it } from 'vitest';
import { AccountQueue } from './account-queue.ts';

interface Item {
  readonly name: string;
  readonly size: number;
}

function queueOf(...entries: [accountId: number, name: string, size?: number][]): AccountQueue<Item> {
  const queue = new AccountQueue<Item>();
  for (const [accountId, name, size = 1] of entries) queue.add(accountId, { name, size });
  return queue;
}

function takeNames(queue: AccountQueue<Item>, maxSize: number): string | undefined {
  const turn = queue.take(maxSize);
  if (turn === undefined) return undefined;
  queue.release(turn.accountId);
  return turn.items.map(({ name }) => name).join(' ');
}

describe('AccountQueue', () => {
  it('serves accounts in turn when one of them has a backlog', () => {
    const queue = queueOf([1, 'a'], [1, 'b'], [1, 'c'], [2, 'x'], [3, 'y']);
    expect([1, 2, 3, 4, 5, 6].map(() => takeNames(queue, 1))).toEqual(['a', 'x', 'y', 'b', 'c', undefined]);
  });

  it('returns several items of one account up to the size', () => {
    const queue = queueOf([1, 'a', 2], [1, 'b', 3], [1, 'c', 1], [1, 'large', 9], [1, 'd', 1]);
    expect([1, 2, 3, 4].map(() => takeNames(queue, 5))).toEqual(['a b', 'c', 'large', 'd']);
  });

  it('does not return an account whose items are being processed', () => {
    const queue = queueOf([1, 'a'], [1, 'b'], [2, 'x']);
    expect(queue.take(1)).toMatchObject({ accountId: 1 });
    expect(queue.take(1)).toMatchObject({ accountId: 2 });
    expect(queue.take(1)).toBeUndefined();
    queue.release(1);
    expect(queue.take(1)).toEqual({ accountId: 1, items: [{ name: 'b', size: 1 }] });
  });

  it('returns the remaining items when it is cleared', () => {
    const queue = queueOf([1, 'a'], [1, 'b'], [2, 'x']);
    queue.take(1);
    expect(queue.clear().map(({ name }) => name)).toEqual(['x', 'b']);
    expect(queue.take(1)).toBeUndefined();
  });
});
