import { expect, it } from 'vitest';
import { requestIdFrom } from './request-context.ts';

const RANDOM_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

it.each(['a', 'Root=1-67891233-abcdef012345678912345678', '0f8fad5b-d9cb-469f-a165-70867728950e', 'x'.repeat(128)])(
  'keeps %s',
  (id) => {
    expect(requestIdFrom(id)).toBe(id);
  },
);

it.each([undefined, '', 'x'.repeat(129), 'a b', 'a, b', 'a\n', 'é', '{"a":1}', ['a', 'b']])('replaces %j', (id) => {
  expect(requestIdFrom(id)).toMatch(RANDOM_UUID);
});
