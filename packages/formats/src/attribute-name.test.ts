import * as fc from 'fast-check';
import { describe, expect, test, it } from 'vitest';
import { displayAttributeName, normaliseAttributeName, derivedAttributeLike, lookOf } from './attribute-name.ts';

const isSame = (a: string, b: string) => normaliseAttributeName(a) === normaliseAttributeName(b);

describe('normaliseAttributeName', () => {
  test('ignores case and surrounding white space [IMPORT-ATTRIBUTES-NAMES-1]', () =>
    expect(isSame(' dePartment ', 'Department')).toBe(true));
  test('treats Department and " DEPARTMENT" as one attribute [IMPORT-ATTRIBUTES-NAMES-3]', () =>
    expect(isSame('Department', ' DEPARTMENT')).toBe(true));
  test('treats Dept and dept as one attribute [IMPORT-ATTRIBUTES-NAMES-1]', () => expect(isSame('Dept', 'dept')).toBe(true));
  test('keeps inner white space [IMPORT-ATTRIBUTES-NAMES-1]', () => expect(isSame('Cost  Center', 'Cost Center')).toBe(false));
  test('treats U+00A0 and U+3000 as white space, but not U+200B [IMPORT-ATTRIBUTES-NAMES-1]', () => {
    expect(isSame('\u{a0}Dept\u{3000}\t\n', 'dept')).toBe(true);
    expect(isSame('Dept\u{200b}', 'Dept')).toBe(false);
  });
  test('treats composed and decomposed letters as equal [IMPORT-ATTRIBUTES-NAMES-1]', () =>
    expect(isSame('Caf\u{e9}', 'Cafe\u{301}')).toBe(true));
  test('folds İzmir as JavaScript does [IMPORT-ATTRIBUTES-NAMES-1]', () => {
    expect(normaliseAttributeName('İzmir')).toBe('i\u{307}zmir');
    expect(isSame('İzmir', 'i̇ZMIR')).toBe(true);
  });
  test('distinguishes Straße from STRASSE [IMPORT-ATTRIBUTES-NAMES-1]', () => expect(isSame('Straße', 'STRASSE')).toBe(false));
  test('is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const once = normaliseAttributeName(name);
        expect(normaliseAttributeName(once)).toBe(once);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('displayAttributeName', () => {
  test('returns the name in NFC, without surrounding white space [IMPORT-ATTRIBUTES-NAMES-2]', () =>
    expect(displayAttributeName(' Cafe\u{301} \u{a0}')).toBe('Caf\u{e9}'));
});

it.each([
  ['Age\u00a0\u00a0Category', 'looks_like_age_category'],
  ['AgeCategory', 'looks_like_age_category'],
  ['age-category', 'looks_like_age_category'],
  ['AGE_CATEGORY:', 'looks_like_age_category'],
  ['Age\u200b Category', 'looks_like_age_category'],
  ['SEN\u0130OR\u0130TY', 'looks_like_seniority'],
  ['SENI\u0307ORI\u0307TY', 'looks_like_seniority'],
  ['(Senior\u00adity)', 'looks_like_seniority'],
  ['Seniority level', undefined],
  ['Age', undefined],
])('takes %j for %s [IMPORT-ATTRIBUTES-YEARS-5]', (name, code) => expect(derivedAttributeLike(name)).toBe(code));

it.each([
  ['Sales', ' SALES'],
  ['Cost Center', 'cost\u2003center\u200b'],
  ['\u0130zmir', 'izmir'],
])('sees no difference between %j and %j', (a, b) => expect(lookOf(a)).toBe(lookOf(b)));
