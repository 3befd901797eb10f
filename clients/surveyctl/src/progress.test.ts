import { describe, expect, it } from 'vitest';
import { linesOn } from './progress.ts';

describe('progress without a terminal', () => {
  it('prints a line when the activity changes, and then one per second', () => {
    const lines: string[] = [];
    let time = 0;
    const progress = linesOn({ write: (line: string) => lines.push(line) > 0 }, () => time);
    const step = (activity: string, done: number, at: number): void => {
      time = at;
      progress.show({ activity, done, total: 9, detail: `${done}/9` });
    };
    step('accepted', 0, 0);
    step('reading', 1, 10);
    step('reading', 2, 20);
    step('reading', 3, 1_010);
    expect(lines).toEqual(['accepted 0/9\n', 'reading 1/9\n', 'reading 3/9\n']);
  });
});
