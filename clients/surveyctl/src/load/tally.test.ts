import { describe, expect, it } from 'vitest';
import { renderLoad } from './load-rendering.ts';
import { Tally } from './tally.ts';

describe('a tally', () => {
  it('counts lines by kind, and subtracts those that services reject from the loaded ones', () => {
    const tally = new Tally(50);
    tally.published('survey');
    tally.published('survey');
    tally.reject(3, 'survey', 'id is missing');
    tally.reject(4, undefined, 'is not JSON');
    tally.rejectedByServices('survey', 1);
    expect([tally.lines, tally.rejected]).toEqual([4, 3]);
    expect(Object.fromEntries(tally.kinds)).toEqual({ survey: { loaded: 1, rejected: 2 } });
  });

  it('keeps the first rejected lines, regardless of the rejecting service', () => {
    const tally = new Tally(2);
    for (const line of [3, 5, 7]) tally.reject(line, undefined, 'is not JSON');
    const rejections = tally.rejections([{ line: 4, kind: 'cycle', reason: 'id', rejected_by: 'export' }]);
    expect(rejections.map(({ line }) => line)).toEqual([3, 4]);
  });
});

describe('a load for people', () => {
  it('shows the number of unlisted rejected lines, of deferred and of unconsumed ones', () => {
    const tally = new Tally(1);
    tally.reject(1, undefined, 'is not JSON');
    tally.reject(2, undefined, 'is not JSON');
    const deferred = [{ service: 'export', kind: 'assignment', facts: 3 }];
    const text = renderLoad({
      source: 'load-1',
      tally,
      rejections: tally.rejections([]),
      deferred,
      waitingLines: [{ service: 'export', kind: 'assignment', line: 4 }],
      waitingLinesTotal: 3,
      unconsumedKinds: ['topic'],
      seconds: 1.25,
    });
    expect(text).toContain('2 lines rejected, 3 lines waiting');
    expect(text).toMatch(/^4 +assignment +export/m);
    expect(text).toContain('2 more waiting lines');
    expect(text).toContain('1 more rejected lines');
    expect(text).toContain('3 assignment (export)');
    expect(text).toContain('no service takes them yet: topic');
  });
});
