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

it('tells of few texts only whether all are done', () => {
  expect([1, 2, 3, 99].map((open) => percentDone(99, stage(open)))).toEqual([0, 0, 0, 0]);
  expect(percentDone(3, stage(0))).toBe(100);
});

it('changes only with ten texts or more', () => {
  for (const answers of [100, 101, 250, 1_003]) {
    const shown = Array.from({ length: answers }, (_, open) => percentDone(answers, stage(open)));
    const counts = new Map<number, number>();
    for (const percent of shown) counts.set(percent, (counts.get(percent) ?? 0) + 1);
    counts.delete(100);
    for (const count of counts.values()) expect(count).toBeGreaterThanOrEqual(9);
  }
});

it('is never below zero, also if more texts are open than there are by now', () => {
  expect(percentDone(1_000, stage(1_100))).toBe(0);
});
