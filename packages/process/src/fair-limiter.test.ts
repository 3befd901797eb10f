import { describe, expect, it } from 'vitest';
import { FairLimiter, Limit, type CallKind, type Slots } from './fair-limiter.ts';

const never = new AbortController().signal;
const TIMEOUT_MS = 60_000;
const options = { maxConcurrent: 2, maxConcurrentPerAccount: 2, maxQueued: 6, maxQueuedPerAccount: 4 };
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A limiter, and the accounts whose calls have started, in order. */
class Fixture {
  readonly started: number[] = [];
  readonly limiter = new FairLimiter();

  acquire(kind: CallKind, accountId: number, { weight = 1, signal = never, timeoutMs = TIMEOUT_MS } = {}): Promise<Slots> {
    const slots = this.limiter.acquire({ accountId, kind, weight }, { signal, timeoutMs });
    slots.then(
      () => this.started.push(accountId),
      () => {},
    );
    return slots;
  }

  /** Runs each call to its end as soon as it starts. */
  async runAll(kind: CallKind, calls: readonly { accountId: number; weight?: number }[]): Promise<void> {
    const first = await this.limiter.acquire({ accountId: 0, kind, weight: 1 });
    const all = calls.map(async ({ accountId, ...call }) => (await this.acquire(kind, accountId, call))[Symbol.dispose]());
    first[Symbol.dispose]();
    await Promise.all(all);
  }
}

describe('FairLimiter', () => {
  it('starts calls up to its limit, and one more per freed slot, even when a slot is freed twice', async () => {
    const fixture = new Fixture();
    const kind = [new Limit(options)];
    const first = await fixture.acquire(kind, 1);
    await fixture.acquire(kind, 1);
    void fixture.acquire(kind, 1);
    await settled();
    expect(fixture.started).toEqual([1, 1]);
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    void fixture.acquire(kind, 1);
    await settled();
    expect(fixture.started).toEqual([1, 1, 1]);
  });

  it('starts queued calls of accounts in turn', async () => {
    const fixture = new Fixture();
    const kind = [new Limit({ ...options, maxConcurrent: 1 })];
    await fixture.runAll(
      kind,
      [1, 1, 1, 2, 3].map((accountId) => ({ accountId })),
    );
    expect(fixture.started).toEqual([1, 2, 3, 1, 1]);
  });

  it('starts as many light calls of one account as the heavy calls of another account weigh', async () => {
    const fixture = new Fixture();
    const kind = [new Limit({ ...options, maxConcurrent: 1, maxQueued: 20, maxQueuedPerAccount: 20 })];
    const heavy = Array.from({ length: 2 }, () => ({ accountId: 1, weight: 4 }));
    const light = Array.from({ length: 8 }, () => ({ accountId: 2 }));
    await fixture.runAll(kind, [...heavy, ...light]);
    expect(fixture.started).toEqual([1, 2, 2, 2, 2, 1, 2, 2, 2, 2]);
  });

  it('acquires the slots of all limits at once and holds none while queued', async () => {
    const fixture = new Fixture();
    const [shared, scarce] = [new Limit(options), new Limit({ ...options, maxConcurrent: 1 })];
    const both = [shared, scarce];
    const first = await fixture.acquire(both, 1);
    void fixture.acquire(both, 2);
    await fixture.acquire([shared], 3);
    expect(fixture.started).toEqual([1, 3]);
    first.keepOnly(scarce);
    await settled();
    expect(fixture.started).toEqual([1, 3]);
    first[Symbol.dispose]();
    await settled();
    expect(fixture.started).toEqual([1, 3, 2]);
  });

  it('rejects when the queue of the account is full, and when the queue of all accounts is', async () => {
    const fixture = new Fixture();
    const kind = [new Limit({ ...options, maxConcurrent: 1 })];
    await fixture.acquire(kind, 9);
    for (let n = 0; n < 4; n++) void fixture.acquire(kind, 1);
    await expect(fixture.acquire(kind, 1)).rejects.toMatchObject({ name: 'QueueFullError', isOfAccount: true });
    for (let n = 0; n < 2; n++) void fixture.acquire(kind, 2);
    await expect(fixture.acquire(kind, 3)).rejects.toMatchObject({ name: 'QueueFullError', isOfAccount: false });
  });

  it('limits one account while others have capacity', async () => {
    const fixture = new Fixture();
    const kind = [new Limit({ ...options, maxConcurrent: 4, maxConcurrentPerAccount: 1 })];
    const first = await fixture.acquire(kind, 1);
    void fixture.acquire(kind, 1);
    await fixture.acquire(kind, 2);
    expect(fixture.started).toEqual([1, 2]);
    first[Symbol.dispose]();
    await settled();
    expect(fixture.started).toEqual([1, 2, 1]);
  });

  it('rejects after the queue timeout, and starts the next call', async () => {
    const fixture = new Fixture();
    const kind = [new Limit({ ...options, maxConcurrent: 1 })];
    const running = await fixture.acquire(kind, 9);
    const late = fixture.acquire(kind, 1, { timeoutMs: 1 });
    void fixture.acquire(kind, 2);
    await expect(late).rejects.toMatchObject({ name: 'QueueTimeoutError' });
    running[Symbol.dispose]();
    await settled();
    expect(fixture.started).toEqual([9, 2]);
  });

  it('removes a queued call whose signal is aborted', async () => {
    const fixture = new Fixture();
    const kind = [new Limit({ ...options, maxConcurrent: 1, maxQueued: 1 })];
    const running = await fixture.acquire(kind, 9);
    const leaving = new AbortController();
    const left = fixture.acquire(kind, 1, { signal: leaving.signal });
    leaving.abort(new Error('disconnected'));
    await expect(left).rejects.toThrow('disconnected');
    void fixture.acquire(kind, 2);
    running[Symbol.dispose]();
    await settled();
    expect(fixture.started).toEqual([9, 2]);
    await expect(fixture.acquire(kind, 3, { signal: leaving.signal })).rejects.toThrow('disconnected');
  });
});
