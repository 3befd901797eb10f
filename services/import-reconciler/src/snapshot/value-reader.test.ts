import { expect, test } from 'vitest';
import { NOT_YET, TOO_DEEP, ValueEnd } from './value-reader.ts';

function find(text: string, maxDepth = 30): number {
  const end = new ValueEnd(maxDepth);
  const bytes = Buffer.from(text);
  end.begin(bytes[0] ?? 0);
  return end.find(bytes, 0);
}

test.each([
  ['{"a":"}"},', 9],
  [String.raw`"a\"b" `, 6],
  [String.raw`{"a\\":1}]`, 9],
  ['[[],{}]]', 7],
  ['123,', 3],
  ['null]', 4],
  ['true', NOT_YET],
  ['{"a":[1', NOT_YET],
])('finds the end of %j at %i', (text, end) => expect(find(text)).toBe(end));

test('accepts exactly the maximum depth', () => {
  expect(find('[[]]', 2)).toBe(4);
  expect(find('[[[]]]', 2)).toBe(TOO_DEEP);
});

test('counts only colons outside strings as keys', () => {
  const end = new ValueEnd(30);
  const bytes = Buffer.from('{"a:":":","b":{"c":[{"d":1}]}}');
  end.begin(bytes[0] ?? 0);
  end.find(bytes, 0);
  expect(end.colons).toBe(4);
});
