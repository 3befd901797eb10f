import { expect, it } from 'vitest';
import { MAX_PIECES, windowsOf } from './text-windows.ts';
import { WordPieces } from './word-pieces.ts';

const pieces = new WordPieces(['[UNK]', '[CLS]', '[SEP]'].join('\n'));
// The part of the text that each window reads.
const windows = (text: string): string[] =>
  Array.from(windowsOf(text, pieces), (window) => text.slice(window[0]?.start, window.at(-1)?.end));

const SENTENCE = 'On the way to work we met the people of the other team, who had just come back.';
const NAMED = 'Nobody but Priyanka Raghunathan knew how the old machine on the second floor was to be started.';

it('reads a text that fits in one window as a whole', () => {
  expect(windows(`${SENTENCE} ${NAMED}`)).toEqual([`${SENTENCE} ${NAMED}`]);
  expect(windows('')).toEqual([]);
});

it('reads each sentence of a longer text as a whole, whatever stands before it', () => {
  for (let before = 8; before < 200; before += 7)
    expect(windows(`${`${SENTENCE} `.repeat(before)}${NAMED} ${SENTENCE}`)).toContain(NAMED);
});

it('reads short sentences together, and does not divide at an abbreviation', () => {
  const text = `${`${SENTENCE} `.repeat(9)}Yes. Ask Dr. Schmidt. ${NAMED}`;
  expect(windows(text)).toContain(`Yes. Ask Dr. Schmidt. ${NAMED}`);
});

it('reads text without sentences in windows that overlap and begin with a word', () => {
  const words = Array.from({ length: 1_000 }, (_, n) => `word${n}`);
  const read = windows(words.join(' '));
  expect(Math.max(...read.map((window) => window.split(' ').length))).toBe(MAX_PIECES);
  for (const [at] of words.slice(20).entries())
    expect(read.some((window) => window.includes(words.slice(at, at + 20).join(' ')))).toBe(true);
});

it.each([
  ['one word', 'x'.repeat(100_000)],
  ['no spaces', '名'.repeat(100_000)],
  ['only marks', '!'.repeat(100_000)],
  ['only spaces', ' '.repeat(100_000)],
  ['short sentences', 'A! '.repeat(33_333)],
])('is linear: %s', (_, text) => {
  const begun = process.cpuUsage();
  const count = windows(text).length;
  expect(count).toBeLessThan(text.length / 8);
  expect(process.cpuUsage(begun).user).toBeLessThan(5_000_000);
});
