import { describe, expect, it } from 'vitest';
import { LatestValue } from './watch-import.ts';

const never = new AbortController().signal;

describe('LatestValue', () => {
  it('returns the newest of several values, once', async () => {
    const news = new LatestValue<number>();
    news.put(1);
    news.put(2);
    expect(await news.next(1_000, never)).toBe(2);
    expect(await news.next(1, never)).toBeUndefined();
  });

  it('wakes a waiting reader', async () => {
    const news = new LatestValue<string>();
    const waiting = news.next(60_000, never);
    news.put('here');
    expect(await waiting).toBe('here');
  });

  it('ends the wait when the caller disconnects', async () => {
    const hangUp = new AbortController();
    const waiting = new LatestValue<string>().next(60_000, hangUp.signal);
    hangUp.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await expect(new LatestValue<string>().next(60_000, hangUp.signal)).rejects.toThrow('gone');
  });
});
