import { describe, expect, it } from 'vitest';
import { maskingEffect } from './masking-effect.ts';

const on = { masking: true, masking_entitled: true };
const unentitled = { masking: true, masking_entitled: false };
const off = { masking: false, masking_entitled: true };

describe('maskingEffect', () => {
  it('is on or off when the account is entitled', () => {
    expect(maskingEffect('off', on)).toBe('on');
    expect(maskingEffect('on', off)).toBe('off');
  });

  it('has no effect when masking is switched on without the entitlement [TEXTS-MASKING-3]', () => {
    expect(maskingEffect('off', unentitled)).toBe('without_effect');
    expect(maskingEffect('without_effect', unentitled)).toBe('without_effect');
  });

  it('withholds texts from the end of the entitlement until masking is decided [TEXTS-MASKING-4]', () => {
    expect(maskingEffect('on', unentitled)).toBe('withheld');
    expect(maskingEffect('withheld', unentitled)).toBe('withheld');
    expect(maskingEffect('withheld', on)).toBe('on');
    expect(maskingEffect('withheld', { masking: false, masking_entitled: false })).toBe('off');
  });
});
