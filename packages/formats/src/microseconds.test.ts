import { expect, it } from 'vitest';
import { normaliseInstant } from './instant.ts';
import { instantOf, microsecondsOf } from './microseconds.ts';

it.each([
  ['1970-01-01T00:00:00Z', 0],
  ['1969-12-31T23:59:59.999999Z', -1],
  ['2024-01-31T23:00:00.123456789+01:00', 1_706_738_400_123_456],
  ['2255-06-05T23:47:34.740991Z', Number.MAX_SAFE_INTEGER],
  ['2255-06-05T23:47:34.740990Z', Number.MAX_SAFE_INTEGER - 1],
  ['9999-12-31T23:59:59.999999Z', Number.MAX_SAFE_INTEGER],
  ['0001-01-01T00:00:00Z', Number.MIN_SAFE_INTEGER],
])('%s is %d microseconds', (text, microseconds) => {
  expect(microsecondsOf(normaliseInstant(text) ?? '')).toBe(microseconds);
});

it.each([0, -1, 1_706_738_400_123_456, -1_001])('%d microseconds are an instant and back', (microseconds) => {
  const instant = instantOf(microseconds);
  expect([normaliseInstant(instant), microsecondsOf(instant)]).toEqual([instant, microseconds]);
});
