import { expect, it } from 'vitest';
import { faultOf } from './known-faults.ts';

it.each([
  ['PostgreSQL', '17.6 (Debian 17.6-1)', '17.12'],
  ['PostgreSQL', '14.20', '15.20'],
  ['Redis', '7.4.7', '7.4.11'],
  ['Redis', '8.0.4', '8.2.9'],
  ['Redis', '8.10.0', '8.10.1'],
  ['Valkey', '8.1.3', '8.1.9'],
])('advises %s %s to become %s', (product, version, fix) => {
  expect(faultOf(product, version)).toContain(`use ${fix} or later`);
});

it.each([
  ['PostgreSQL', '17.12'],
  ['PostgreSQL', '18.7 (Debian 18.7-1)'],
  ['PostgreSQL', '19.1'],
  ['Redis', '7.4.11'],
  ['Redis', '8.12.0'],
  ['Valkey', '9.1.2'],
])('knows no fault of %s %s', (product, version) => {
  expect(faultOf(product, version)).toBeUndefined();
});
