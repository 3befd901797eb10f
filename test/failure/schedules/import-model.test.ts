import { expect, it } from 'vitest';
import { explore } from './explore.ts';
import { casesOf, type Mechanisms } from './import-model.ts';

const ALL: Mechanisms = { accountLock: true, rowLock: true, busyCheck: true, slot: true };
const violationsOf = (on: Mechanisms): string[] => [
  ...new Set(casesOf(on).flatMap((one) => explore(one).flatMap(({ violations }) => violations))),
];

it('keeps every promise in each order of the steps of two actors', () => {
  expect(violationsOf(ALL)).toEqual([]);
});

it('has these numbers of different schedules', () => {
  expect(Object.fromEntries(casesOf(ALL).map((one) => [one.name, explore(one).length]))).toEqual({
    'import/erase': 28,
    'import/disconnect': 9,
    'import/allow': 9,
    'import/upload': 49,
    'import/worker': 72,
  });
});

it.each([
  [{ rowLock: false }, 'an import ended 2 times'],
  [{ slot: false }, 'two running imports'],
  [{ busyCheck: false }, 'a body has an erased employee'],
  // An erasure that looks for running imports does not need the account's lock.
  [{ busyCheck: false, accountLock: false }, 'an erased employee is back'],
])('finds what goes wrong with %o', (ablation, violation) => {
  expect(violationsOf({ ...ALL, ...ablation })).toContain(violation);
});
