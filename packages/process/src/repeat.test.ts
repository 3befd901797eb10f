import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { repeat } from './repeat.ts';

const EVERY_MS = 1_000;

describe('repeat', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('runs at the start and one interval after each run has ended', async () => {
    const runs: PromiseWithResolvers<void>[] = [];
    await using _task = repeat(EVERY_MS, () => {
      const run = Promise.withResolvers<void>();
      runs.push(run);
      return run.promise;
    });
    expect(runs).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(10 * EVERY_MS);
    expect(runs).toHaveLength(1);
    runs[0]?.resolve();
    await vi.advanceTimersByTimeAsync(EVERY_MS - 1);
    expect(runs).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(runs).toHaveLength(2);
    runs[1]?.resolve();
  });

  it('runs again without delay when it is woken, also during a run', async () => {
    let runs = 0;
    await using task = repeat(EVERY_MS, async () => {
      runs += 1;
      await Promise.resolve();
      if (runs === 1) task.wake();
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(runs).toBe(2);
    task.wake();
    await vi.advanceTimersByTimeAsync(0);
    expect(runs).toBe(3);
  });

  it('reports an error and runs again', async () => {
    const errors: unknown[] = [];
    const work = vi.fn<() => Promise<void>>(() => Promise.reject(new Error('failed')));
    await using _task = repeat(EVERY_MS, work, (error) => errors.push(error));
    await vi.advanceTimersByTimeAsync(EVERY_MS);
    expect(work).toHaveBeenCalledTimes(2);
    expect(errors).toEqual([new Error('failed'), new Error('failed')]);
  });

  it('waits for the current run and starts no other when it is disposed', async () => {
    const run = Promise.withResolvers<void>();
    const work = vi.fn<() => Promise<void>>(() => run.promise);
    const task = repeat(EVERY_MS, work);
    const disposed = vi.fn<() => void>();
    const disposing = task[Symbol.asyncDispose]().then(disposed);
    await vi.advanceTimersByTimeAsync(EVERY_MS);
    expect(disposed).not.toHaveBeenCalled();
    run.resolve();
    await disposing;
    await vi.advanceTimersByTimeAsync(EVERY_MS);
    expect(work).toHaveBeenCalledTimes(1);
  });
});
