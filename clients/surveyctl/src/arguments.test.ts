import { describe, expect, it } from 'vitest';
import { parsePositive, parseUuid } from './arguments.ts';

describe('a whole number', () => {
  it('is read', () => {
    expect(parsePositive('1')).toBe(1);
    expect(parsePositive('9007199254740991')).toBe(9_007_199_254_740_991);
  });

  it.each(['', '0', '-1', '+1', '01', '1.0', '1e2', '0x10', ' 1', '1 ', '1\n', '１', '9007199254740993', 'NaN'])(
    'is not %j',
    (text) => {
      expect(() => parsePositive(text)).toThrow('whole number');
    },
  );
});

describe('a UUID', () => {
  it('is read in lower case, whatever its variant', () => {
    expect(parseUuid('12345678-1234-1234-1234-123456789ABC')).toBe('12345678-1234-1234-1234-123456789abc');
  });

  it.each(['', '12345678', '12345678123412341234123456789abc', '{12345678-1234-1234-1234-123456789abc}'])('is not %j', (text) => {
    expect(() => parseUuid(text)).toThrow('UUID');
  });
});
