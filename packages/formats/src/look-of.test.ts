import { expect, it } from 'vitest';
import { derivedAttributeLike, lookOf } from './look-of.ts';

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
