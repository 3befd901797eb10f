import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emailKey } from './email-key.ts';

const isSame = (a: string, b: string): boolean => emailKey(`${a}@b.example`) === emailKey(`${b}@b.example`);

describe('emailKey', () => {
  it.each([
    ['final sigma', '\u0391\u03a3', '\u03b1\u03c2'],
    ['sigma', '\u0391\u03a3', '\u03b1\u03c3'],
    ['capital sharp s', 'STRA\u1e9eE', 'stra\u00dfe'],
    ['composed and decomposed letters', 'Zo\u00eb', 'zoe\u0308'],
    ['letters composed only in lower case', 'J\u030c', '\u01f0'],
    ['the kelvin sign', '\u212a', 'k'],
    ['digraphs in title case', '\u01c5', '\u01c6'],
    ['letters beyond the basic plane', '\u{10400}', '\u{10428}'],
    ['surrounding white space', ' \u00a0ann', 'ANN'],
  ])('ignores case and form of %s [IMPORT-EMAILS-1]', (_, a, b) => expect(isSame(a, b)).toBe(true));

  it.each([
    ['sharp s and ss', '\u00df', 'ss'],
    ['a ligature and its letters', '\ufb01', 'fi'],
    ['i without a dot and i', '\u0131', 'i'],
    ['capital i with a dot and i', '\u0130', 'i'],
    ['full-width letters and ASCII', '\uff41', 'a'],
    ['a plus tag and none', 'a+b', 'a'],
  ])('keeps %s apart [IMPORT-EMAILS-1]', (_, a, b) => expect(isSame(a, b)).toBe(false));

  it('maps two letters to one key exactly when case-insensitive regular expressions of JavaScript match them [IMPORT-EMAILS-1]', () => {
    const differing: string[] = [];
    for (let code = 0; code <= 0x10ffff; code++) {
      const letter = String.fromCodePoint(code);
      if (letter.normalize('NFC') !== letter || letter.trim() === '') continue;
      const key = emailKey(letter);
      const others = [letter.toLowerCase(), letter.toUpperCase(), key].filter(
        (other) => other !== letter && other.normalize('NFC') === other && Array.from(other).length === 1,
      );
      if (others.length === 0) continue;
      const ignoringCase = new RegExp(`^\\u{${code.toString(16)}}$`, 'iu');
      if (others.some((other) => ignoringCase.test(other) !== (emailKey(other) === key))) differing.push(code.toString(16));
    }
    expect(differing).toEqual([]);
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (email) => {
        expect(emailKey(emailKey(email))).toBe(emailKey(email));
      }),
      { numRuns: 5_000 },
    );
  });
});
