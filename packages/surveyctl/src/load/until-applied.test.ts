import { describe, expect, it } from 'vitest';
import { untilApplied } from './until-applied.ts';

const state = (remaining: number) => ({ consumer: 'export-survey', kind: 'survey' as const, remaining });

describe('the wait', () => {
  it('ends when nothing remains', async () => {
    const looks = [2, 1, 0];
    const seen: number[] = [];
    const look = async () => [state(looks.shift() ?? 0)];
    const onLook = ([one]: readonly { remaining: number }[]) => seen.push(one?.remaining ?? -1);
    await untilApplied({ look, onLook, patienceMs: 60_000 });
    expect(seen).toEqual([2, 1, 0]);
  });

  it('ends at once when no service takes these kinds', async () => {
    expect(await untilApplied({ look: async () => [], onLook: () => undefined, patienceMs: 0 })).toEqual([]);
  });

  it('is given up when nothing moves, naming who stands still', async () => {
    const look = async () => [state(1)];
    await expect(untilApplied({ look, onLook: () => undefined, patienceMs: 0 })).rejects.toThrow('export-survey did not move');
  });
});
