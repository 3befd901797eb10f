import { expect, it } from 'vitest';
import { WordPieces } from './word-pieces.ts';

const VOCABULARY = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'anna', '##s', 'len', '##a', '.', "'", '名', 'lena'];
const pieces = new WordPieces(VOCABULARY.join('\n'));
const split = (text: string) =>
  Array.from(pieces.split(text)).map(({ id, start, end, opensWord }) => [VOCABULARY[id], text.slice(start, end), opensWord]);

it('takes the longest known piece, in lower case and without accents', () => {
  expect(split('Annas  LÉNA')).toEqual([
    ['anna', 'Anna', true],
    ['##s', 's', false],
    ['lena', 'LÉNA', true],
  ]);
});

it('separates punctuation and characters of scripts without spaces', () => {
  expect(split("anna's.名名").map(([piece]) => piece)).toEqual(['anna', "'", '[UNK]', '.', '名', '名']);
});

it('reads a word with an unknown part, or of more than 100 letters, as unknown', () => {
  expect(split(`annax ${'anna'.repeat(26)}`).map(([piece]) => piece)).toEqual(['[UNK]', '[UNK]']);
});

it('returns offsets of the text for letters that decompose or take two code units', () => {
  expect(split('\u{1F600} le\u0301na')).toEqual([
    ['[UNK]', '\u{1F600}', true],
    ['lena', 'le\u0301na', true],
  ]);
});
