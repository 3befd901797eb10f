import { expect, it } from 'vitest';
import { acceptsGzip } from './accept-encoding.ts';

it.each([
  [undefined, false],
  ['', false],
  ['gzip', true],
  ['GZIP', true],
  ['x-gzip', true],
  ['gzip, deflate, br', true],
  ['br;q=1.0, gzip;q=0.8, *;q=0.1', true],
  ['gzip;q=0', false],
  ['gzip;q=0.000', false],
  ['gzip; q = 0.001', true],
  ['gzip;q=1.5', false],
  ['gzip;q=abc', false],
  ['*', true],
  ['*;q=0', false],
  ['*, gzip;q=0', false],
  ['gzip;q=0, *', false],
  ['identity', false],
  ['gzipped', false],
  ['br', false],
])('%s: %s', (header, expected) => {
  expect(acceptsGzip(header)).toBe(expected);
});
