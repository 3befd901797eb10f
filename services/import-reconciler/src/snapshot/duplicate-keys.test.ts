import { expect, test } from 'vitest';
import { findDuplicateKeys } from './read-employee.ts';

test.each([
  ['{"a":1,"a":2}', [['a']]],
  ['{"a":1,"\\u0061":2,"a":3}', [['a'], ['a']]],
  ['{"a":{"b":1},"b":2}', []],
  ['{"x":[{"b":1},{"b":1,"c":[],"b":2}]}', [['x', 1, 'b']]],
  ['{"a:\\"b":"a","c":"c,d:{","c":1}', [['c']]],
  ['{"__proto__":1,"__proto__":1}', [['__proto__']]],
  ['[1,"a",{"a":1}]', []],
])('findDuplicateKeys finds the repeated keys of %s', (text, paths) => {
  const found: unknown[] = [];
  findDuplicateKeys(text, (path) => found.push(path));
  expect(found).toEqual(paths);
});
