import { expect, it } from 'vitest';
import { percentDone } from './settings-page.ts';

const stage = (open: number) => ({
  stage: 'mask',
  version: '1',
  not_enqueued: open,
  waiting: 0,
  in_progress: 0,
  given_up: [],
  is_backfilled: true,
});

it('does not tell of fewer than ten texts, one of which has just been submitted', () => {
  for (const answers of [9, 199, 200, 1_003])
    expect([0, 1, 2, 9].map((open) => percentDone(answers, stage(open)))).toEqual([100, 100, 100, 100]);
  expect([10, 11, 199].map((open) => percentDone(199, stage(open)))).toEqual([0, 0, 0]);
});

it('changes only with ten texts or more', () => {
  for (const answers of [200, 201, 250, 1_003]) {
    const shown = Array.from({ length: answers }, (_, open) => percentDone(answers, stage(open)));
    const counts = new Map<number, number>();
    for (const percent of shown) counts.set(percent, (counts.get(percent) ?? 0) + 1);
    for (const count of counts.values()) expect(count).toBeGreaterThanOrEqual(10);
  }
});

it('is never below zero, also if more texts are open than there are by now', () => {
  expect(percentDone(1_000, stage(1_100))).toBe(0);
});
