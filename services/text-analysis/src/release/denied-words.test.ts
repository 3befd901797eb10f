import { describe, expect, it } from 'vitest';
import { hideDeniedWords } from './denied-words.ts';

describe('denied words [TEXTS-WITHHELD-2]', () => {
  it.each([
    ['Ask Oduya about it', 'Ask [NAME] about it'],
    ['ODUYA, oduya’s and Oduyas desk', '[NAME], [NAME]’s and [NAME] desk'],
    ['Kólya and Kolya', '[NAME] and [NAME]'],
    ['Ko\u0301lya&nbsp;left', '[NAME]&nbsp;left'],
    ['The red house, the redhouse, red-house', 'The [NAME], the redhouse, [NAME]'],
    ['Oduyan is another word, [NAME] is hidden', 'Oduyan is another word, [NAME] is hidden'],
    ['我们的王小明经理', '[NAME]'],
  ])('%s', (text, expected) => {
    expect(hideDeniedWords(['Oduya', 'kolya', 'Red House', '王小明', 'name'])(text)).toBe(expected);
  });

  it.each([
    ['Łukasz', 'Lukasz, ŁUKASZ, lukasz', '[NAME], [NAME], [NAME]'],
    ['Sørensen', 'Sorensen and SØRENSEN', '[NAME] and [NAME]'],
    ['Işık', 'ışık, IŞIK, Isik', '[NAME], [NAME], [NAME]'],
    ['isik', 'Işık', '[NAME]'],
    ['Müller', 'Mueller, Muller, MÜLLER', '[NAME], [NAME], [NAME]'],
  ])('hides %s as people type it without its letters', (word, text, expected) => {
    expect(hideDeniedWords([word])(text)).toBe(expected);
  });

  it('hides the longest of phrases that differ by an s', () => {
    const hide = hideDeniedWords(['a b', 'as b c', 'as']);
    expect(['as b', 'as b c', 'a b c', 'as d'].map(hide)).toEqual(['[NAME]', '[NAME]', '[NAME] c', '[NAME] d']);
  });

  // Comparing every word with every phrase takes 10 s and more.
  it.each([
    ['begin alike', Array.from({ length: 1_000 }, (_, nth) => `${'a '.repeat(40)}${nth}`), 'a '],
    [
      'differ by an s',
      Array.from({ length: 1_000 }, (_, nth) => `${nth.toString(2).replaceAll('0', 'a ').replaceAll('1', 'as ')}z`),
      'as ',
    ],
    ['have no spaces', Array.from({ length: 1_000 }, (_, nth) => `人${String.fromCodePoint(0x4e00 + nth)}`), '人龍 '],
  ])('reads a long text in one pass when 1,000 phrases %s', (_, phrases, unit) => {
    const text = unit.repeat(200_000 / unit.length);
    const begun = process.cpuUsage();
    expect(hideDeniedWords(phrases)(text)).toBe(text);
    expect(process.cpuUsage(begun).user / 1_000_000).toBeLessThan(4);
  });

  it('changes nothing without any', () => expect(hideDeniedWords([])('Ask Oduya')).toBe('Ask Oduya'));
});
