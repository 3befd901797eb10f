import { expect, it } from 'vitest';
import { maskingOf } from './masking-policy.ts';

const on = (categories: string[]) => maskingOf({ masking_effect: 'on', masking_categories: categories });

it('treats masking without entitlement as off, and a lapsed entitlement as withheld [TEXTS-MASKING-3, TEXTS-MASKING-4]', () => {
  const of = (masking_effect: 'off' | 'without_effect' | 'withheld') =>
    maskingOf({ masking_effect, masking_categories: ['name'] });
  expect([of('off'), of('without_effect'), of('withheld')]).toEqual(['verbatim', 'verbatim', 'withheld']);
});

it('derives the policy from the categories in any order', () => {
  expect(on(['name', 'email'])).toEqual(on(['email', 'name']));
  expect(on(['name'])).not.toEqual(on(['name', 'email']));
});

// As computed by the last release, whose instances run beside these during an upgrade. A change of
// the number hides every masked text until it is masked again.
it('has the policies of the last release', () => {
  expect(on(['name', 'email'])).toEqual({ policy: 65_390_098_300_318 });
});
