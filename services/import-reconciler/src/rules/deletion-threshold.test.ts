import { expect, test } from 'vitest';
import { thresholdReason } from './deletion-threshold.ts';

test.each([
  [1, 4, '20', '25'],
  [9, 44, '20', '20.4545'],
  [1, 3, '33.3333', '33.33333'],
  [1_000_000, 3_000_001, '33.3333', '33.33332'],
  [1, 1_000, '0', '0.1'],
  [1, 3_000_000, '0', '0.00003'],
  [3, 3, '99.9999', '100'],
])('%i of %i is above %s %: %s % [IMPORT-THRESHOLD-1]', (offboarded, managed, thresholdPercent, percent) => {
  expect(thresholdReason({ offboarded, managed, thresholdPercent })).toBe(
    `offboarding ${offboarded} of ${managed} managed employees is ${percent} %, above the threshold of ${thresholdPercent} %`,
  );
});

test.each([
  [1, 5, '20'],
  [333_333, 1_000_000, '33.3333'],
  [0, 1, '0'],
])('%i of %i is not above %s % [IMPORT-THRESHOLD-2]', (offboarded, managed, thresholdPercent) => {
  expect(thresholdReason({ offboarded, managed, thresholdPercent })).toBeUndefined();
});
