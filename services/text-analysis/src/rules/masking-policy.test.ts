import { expect, it } from 'vitest';
import { maskingOf } from './masking-policy.ts';

const on = (categories: string[], version = '1') => maskingOf({ masking_effect: 'on', masking_categories: categories }, version);

it('treats masking without entitlement as off, and a lapsed entitlement as withheld [TEXTS-MASKING-3, TEXTS-MASKING-4]', () => {
  const of = (masking_effect: 'off' | 'without_effect' | 'withheld') =>
    maskingOf({ masking_effect, masking_categories: ['name'] }, '1');
  expect([of('off'), of('without_effect'), of('withheld')]).toEqual(['verbatim', 'verbatim', 'withheld']);
});

it("derives the policy from the categories in any order and the masker's version", () => {
  expect(on(['name', 'email'])).toEqual(on(['email', 'name']));
  expect(on(['name'])).not.toEqual(on(['name', 'email']));
  expect(on(['name'])).not.toEqual(on(['name'], '2'));
});
