import { describe, expect, it } from 'vitest';
import { isDeletionThreshold } from './connect-integration.ts';

describe('a deletion threshold', () => {
  it.each(['0', '20', '99', '100', '12.5', '0.0001', '99.9999', '100.0', '100.0000'])('is %s', (text) => {
    expect(isDeletionThreshold(text)).toBe(true);
  });

  it.each([
    '',
    ' 20',
    '20 ',
    '20%',
    '-1',
    '+1',
    '020',
    '1e1',
    '0x10',
    '.5',
    '5.',
    '12,5',
    '100.0001',
    '101',
    '12.34567',
    'NaN',
    '２０',
    '20\n',
  ])('is not %j', (text) => {
    expect(isDeletionThreshold(text)).toBe(false);
  });
});
