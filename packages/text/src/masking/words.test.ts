import { expect, it } from 'vitest';
import { CAPITAL, GAP_BREAK, GAP_COMMA, GAP_DOT, GAP_JOINT, GAP_OTHER, GAP_SPACE, readWords, SHOUTED } from './words.ts';

it.each([
  ['Anna', ' ', 'Oak', GAP_SPACE],
  ['van', " '", 't Hof', GAP_SPACE],
  ['says', " '", 'tis', GAP_OTHER],
  ['says', " '", 'I', GAP_OTHER],
  ['Anna', '-', 'Maria', GAP_JOINT],
  ['O', '’', 'Brien', GAP_JOINT],
  ['Anna', ' - ', 'Maria', GAP_OTHER],
  ['J', '.', 'Oak', GAP_DOT],
  ['Prof', '. ', 'Oak', GAP_DOT],
  ['Thanks', '.', 'Oak', GAP_DOT],
  ['Thanks', '. ', 'Oak', GAP_BREAK],
  ['Jr', '.\n', 'Oak', GAP_BREAK],
  ['Jr', '.  ', 'Oak', GAP_BREAK],
  ['Anna', ', ', 'Oak', GAP_COMMA],
  ['Anna', ', , ', 'Oak', GAP_OTHER],
  ['Hall', ' 3 ', 'Oak', GAP_OTHER],
  ['Name', ': ', 'Oak', GAP_BREAK],
])('reads the gap of %s%s%s', (before, gap, after, kind) => {
  expect(readWords(before + gap + after).gap.slice(0, 2)).toEqual([GAP_BREAK, kind]);
});

it.each([
  ['anna', 0],
  ['Anna', CAPITAL],
  ['McDonald', CAPITAL],
  ['I', CAPITAL],
  ['HR', CAPITAL | SHOUTED],
  ['ÉTÉ', CAPITAL | SHOUTED],
])('reads the capitals of %s', (word, shape) => expect(readWords(`3 ${word}`).shape[0]).toBe(shape));

it('reads a letter and its marks as one, and nothing else as words', () => {
  const [marked, plain] = [readWords(' ngo\u0331zi, 1 2'), readWords('ngozi')];

  expect([marked.count, marked.start[0], marked.end[0]]).toEqual([1, 1, 7]);
  expect([marked.a[0], marked.b[0]]).toEqual([plain.a[0], plain.b[0]]);
  expect(readWords('').count).toBe(0);
});
