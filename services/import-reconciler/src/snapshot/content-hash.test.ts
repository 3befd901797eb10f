import { expect, it } from 'vitest';
import { ContentDigest, createElementHasher } from './content-hash.ts';

const hasher = await createElementHasher('salt');
const [first, second] = ['first', 'second'].map((text) => {
  hasher.hash(Buffer.from(text), 0, text.length);
  return hasher.toBytes();
});

type Employee = readonly [position: number, hash?: Buffer | undefined];

function digestOf(employees: readonly Employee[], using = hasher): string {
  const digest = new ContentDigest(using);
  for (const [position, hash] of employees) digest.add(position, hash);
  return digest.toBytes().toString('hex');
}

const both = digestOf([
  [1, first],
  [2, second],
]);

it('does not depend on the order', () => {
  expect(
    digestOf([
      [2, second],
      [1, first],
    ]),
  ).toBe(both);
});

it.each<[string, readonly Employee[]]>([
  ['an employee is missing', [[1, first]]],
  ['an employee is added', [[1, first], [2, second], [3]]],
  ['an employee has no hash', [[1, first], [2]]],
  [
    'an employee is there twice',
    [
      [1, first],
      [1, first],
    ],
  ],
  [
    'two employees have exchanged their records',
    [
      [1, second],
      [2, first],
    ],
  ],
])('differs when %s', (_, employees) => {
  expect(digestOf(employees)).not.toBe(both);
});

it('differs with another salt', async () => {
  expect(
    digestOf(
      [
        [1, first],
        [2, second],
      ],
      await createElementHasher('other'),
    ),
  ).not.toBe(both);
});
