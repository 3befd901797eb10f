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

  it('changes nothing without any', () => expect(hideDeniedWords([])('Ask Oduya')).toBe('Ask Oduya'));
});
