import { describe, expect, it } from 'vitest';
import { maskingEffect } from './masking-effect.ts';

const on = { masking: true, masking_entitled: true };
const unentitled = { masking: true, masking_entitled: false };
const off = { masking: false, masking_entitled: true };

describe('masking', () => {
  it('is on or off with the entitlement', () => {
    expect(maskingEffect('off', on)).toBe('on');
    expect(maskingEffect('on', off)).toBe('off');
  });

  it('switched on without the entitlement is as off [TEXTS-MASKING-3]', () => {
    expect(maskingEffect('off', unentitled)).toBe('without_effect');
    expect(maskingEffect('without_effect', unentitled)).toBe('without_effect');
  });

  it('texts are withheld from when the entitlement lapses until somebody decides [TEXTS-MASKING-4]', () => {
    expect(maskingEffect('on', unentitled)).toBe('withheld');
    expect(maskingEffect('withheld', unentitled)).toBe('withheld');
    expect(maskingEffect('withheld', on)).toBe('on');
    expect(maskingEffect('withheld', { masking: false, masking_entitled: false })).toBe('off');
  });
});
