import { describe, expect, it } from 'vitest';
import { hasReached, WalHistory } from './reader.ts';

const marks = (...all: readonly [atMs: number, position: number, timeline?: number][]): WalHistory => {
  const taken = new WalHistory();
  for (const [atMs, position, timeline = 1] of all) taken.add({ atMs, position, timeline });
  return taken;
};

describe('the WAL position that a replica must have replayed', () => {
  it("is the primary's first position within the allowed lag", () => {
    const seen = marks([1_000, 10], [2_000, 20], [3_000, 30]);
    expect(seen.oldestSince(1_500)).toMatchObject({ position: 20 });
    expect(seen.oldestSince(2_000)).toMatchObject({ position: 20 });
    expect(seen.oldestSince(3_001)).toBeUndefined();
  });

  it("is on the primary's current timeline", () => {
    const seen = marks([1_000, 10], [2_000, 20], [3_000, 15, 2]);
    expect(seen.oldestSince(0)).toMatchObject({ position: 15, timeline: 2 });
    expect(seen.newestReached({ position: 20, timeline: 1 })).toBeUndefined();
    expect(seen.newestReached({ position: 20, timeline: 2 })).toMatchObject({ atMs: 3_000 });
  });
});

it('is not reached by a server that replays nothing', () => {
  expect(hasReached({ position: null, timeline: 1 }, { position: 0, timeline: 1 })).toBe(false);
});
