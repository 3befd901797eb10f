import { expect, it } from 'vitest';
import { clientAddress, networkOf } from './client-address.ts';

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['192.0.2.7:50123', '192.0.2.7'],
  ['2001:db8::7', '2001:db8::7'],
  ['[2001:db8::7]', '2001:db8::7'],
  ['[2001:db8::7]:443', '2001:db8::7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['unknown', '198.51.100.1'],
  ['_hidden', '198.51.100.1'],
  ['192.0.2.7/<script>', '198.51.100.1'],
  ['', '198.51.100.1'],
])('finds the client in %j', (forwarded, expected) => {
  expect(clientAddress(forwarded, '::ffff:198.51.100.1')).toBe(expected);
});

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0db8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('counts %s as %s', (address, expected) => {
  expect(networkOf(address)).toBe(expected);
});
