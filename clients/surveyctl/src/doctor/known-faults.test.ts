import { expect, it } from 'vitest';
import { faultOf } from './known-faults.ts';

it.each([
  ['PostgreSQL', '17.6 (Debian 17.6-1)', '17.10'],
  ['PostgreSQL', '14.20', '15.18'],
  ['Redis', '7.4.5', '7.4.6'],
  ['Valkey', '8.1.3', '8.1.4'],
])('advises %s %s to become %s', (product, version, fix) => {
  expect(faultOf(product, version)).toContain(`use ${fix} or later`);
});

it.each([
  ['PostgreSQL', '17.10'],
  ['PostgreSQL', '18.4 (Debian 18.4-1)'],
  ['PostgreSQL', '19.1'],
  ['Redis', '7.4.10'],
  ['Redis', '8.4.0'],
  ['Valkey', '9.1.2'],
])('knows no fault of %s %s', (product, version) => {
  expect(faultOf(product, version)).toBeUndefined();
});
