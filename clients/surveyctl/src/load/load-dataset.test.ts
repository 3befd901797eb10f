import { describe, expect, it } from 'vitest';
import { waitUntilApplied } from './load-dataset.ts';

const state = (remaining: number) => ({ consumer: 'export-survey', kind: 'survey' as const, remaining });

describe('the wait', () => {
  it('ends when nothing remains', async () => {
    const looks = [2, 1, 0];
    const seen: number[] = [];
    const poll = async () => [state(looks.shift() ?? 0)];
    const onLook = ([one]: readonly { remaining: number }[]) => seen.push(one?.remaining ?? -1);
    await waitUntilApplied({ poll, onLook, stallTimeoutMs: 60_000 });
    expect(seen).toEqual([2, 1, 0]);
  });

  it('ends at once when no service consumes these kinds', async () => {
    expect(await waitUntilApplied({ poll: async () => [], onLook: () => undefined, stallTimeoutMs: 0 })).toEqual([]);
  });

  it('fails on a stall timeout and names the frozen service', async () => {
    const poll = async () => [state(1)];
    await expect(waitUntilApplied({ poll, onLook: () => undefined, stallTimeoutMs: 0 })).rejects.toThrow(
      'export-survey made no progress',
    );
  });
});
