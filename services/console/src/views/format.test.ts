import { expect, it } from 'vitest';
import { formatOf } from './format.ts';

it.each([
  ['en', undefined, '1 Dec 2026, 02:30 UTC', '1 Dec 2026'],
  ['en', 'America/New_York', '30 Nov 2026, 21:30 GMT-5', '30 Nov 2026'],
  ['de', 'Europe/Berlin', '1. Dez. 2026, 03:30 MEZ', '1. Dez. 2026'],
  ['en', 'Nowhere/<b>', '1 Dec 2026, 02:30 UTC', '1 Dec 2026'],
] as const)('formats times in %s for a reader in %s', (language, zone, time, day) => {
  const format = formatOf(language, zone);
  expect(format.time('2026-12-01T02:30:00.000Z')).toBe(time);
  expect(format.day('2026-12-01T02:30:00.000Z')).toBe(day);
});

it('puts times of one of the reader’s days together, and leaves days that have no time alone', () => {
  const format = formatOf('en', 'America/New_York');
  const [evening, night, noon] = ['2026-12-01T02:30:00Z', '2026-12-01T04:59:00Z', '2026-12-01T17:00:00Z'].map((at) =>
    format.dayNumber(at),
  );
  expect([night, noon]).toEqual([evening, (evening ?? 0) + 1]);
  expect(format.day('2026-12-01')).toBe('1 Dec 2026');
});
