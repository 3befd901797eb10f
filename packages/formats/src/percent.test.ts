import { expect, test } from 'vitest';
import { isAbovePercent, percentNextTo } from './percent.ts';

test.each([
  [1, 4, '20', '25'],
  [9, 44, '20', '20.5'],
  [1, 3, '33.3333', '33.33333'],
  [1_000_000, 3_000_001, '33.3333', '33.33332'],
  [1, 1_000, '0', '0.1'],
  [1, 3_000_000, '0', '0.00003'],
  [299_764, 1_000_000, '20', '30'],
  [2_001, 10_000, '20', '20.01'],
  [2_999, 3_000, '20', '99.97'],
  [3, 3, '99.9999', '100'],
])('%i of %i is above %s %: %s % [IMPORT-THRESHOLD-1]', (part, whole, threshold, percent) => {
  expect(isAbovePercent(threshold, part, whole)).toBe(true);
  expect(percentNextTo(threshold, part, whole)).toBe(percent);
});

test.each([
  [1, 5, '20', '20'],
  [333_333, 1_000_000, '33.3333', '33.3333'],
  [19_999, 100_000, '20', '19.999'],
  [1_999_999, 10_000_000, '20', '19.99999'],
  [1, 3_000, '20', '0.03'],
  [0, 1, '0', '0'],
  [0, 0, '0', '0'],
])('%i of %i is not above %s %: %s % [IMPORT-THRESHOLD-2]', (part, whole, threshold, percent) => {
  expect(isAbovePercent(threshold, part, whole)).toBe(false);
  expect(percentNextTo(threshold, part, whole)).toBe(percent);
});
