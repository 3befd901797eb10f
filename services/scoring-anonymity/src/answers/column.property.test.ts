import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Scale } from '../rules/scale.ts';
import type { AnswerRow } from './account-snapshot.ts';
import { AnswerColumn } from './column.ts';
import { RespondentSet } from './respondent-set.ts';

// Choice 3 is not an option of the question.
const SCALE: Scale = { denominator: 4, numeratorOf: ([option = 3]) => (option === 3 ? undefined : option + 1) };
const OTHER: Scale = { denominator: 1, numeratorOf: ([option = 0]) => (option === 0 ? undefined : -option) };
const MAX_PEOPLE = 70;

type Step =
  | { readonly removed: readonly number[]; readonly added: readonly AnswerRow[] }
  | { readonly fromUs: number; readonly toUs: number; readonly chunkLength: number; readonly scale: Scale };

const row = fc.record({
  submittedUs: fc.nat({ max: 40 }),
  respondent: fc.nat({ max: MAX_PEOPLE - 1 }),
  choice: fc.nat({ max: 4 }),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ removed: fc.array(fc.nat(), { maxLength: 6 }), added: fc.array(row, { maxLength: 20 }) }),
  fc.record({
    fromUs: fc.integer({ min: -1, max: 41 }),
    toUs: fc.integer({ min: -1, max: 41 }),
    chunkLength: fc.constantFrom(4, 4, 4, 8),
    scale: fc.constantFrom(SCALE, SCALE, OTHER),
  }),
);

it('returns the same sum, count and respondents as a plain list', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 30 }), fc.array(step, { maxLength: 20 }), (start, steps) => {
      const column = new AnswerColumn();
      const list = start.toSorted((a, b) => a.submittedUs - b.submittedUs);
      for (const { submittedUs, respondent, choice } of list) column.append(submittedUs, respondent, choice);
      for (const one of steps) {
        if ('added' in one) change(column, list, one);
        else expectSame(column, list, one);
      }
    }),
    { numRuns: 3_000 },
  );
});

function change(
  column: AnswerColumn,
  list: AnswerRow[],
  step: { removed: readonly number[]; added: readonly AnswerRow[] },
): void {
  const removed = step.removed.flatMap((n) => (list.length === 0 ? [] : list.splice(n % list.length, 1)));
  list.push(...step.added);
  column.change(removed, step.added);
}

function expectSame(column: AnswerColumn, list: readonly AnswerRow[], asked: Exclude<Step, { added: unknown }>): void {
  const people = new RespondentSet(MAX_PEOPLE);
  const optionsOf = (choice: number) => [choice];
  const tally = column.tally(asked.fromUs, asked.toUs, { ...asked, optionsOf, people });
  const inside = list.filter(({ submittedUs }) => submittedUs >= asked.fromUs && submittedUs <= asked.toUs);
  const counted = inside.filter(({ choice }) => asked.scale.numeratorOf([choice]) !== undefined);
  expect(tally).toEqual({
    sum: counted.reduce((sum, { choice }) => sum + (asked.scale.numeratorOf([choice]) ?? 0), 0),
    count: counted.length,
  });
  expect(people.size).toBe(new Set(counted.map(({ respondent }) => respondent)).size);
}

it('rejects the removal of an unknown answer, and a second removal of the same answer', () => {
  const column = new AnswerColumn();
  column.append(1, 2, 3);
  const held = { submittedUs: 1, respondent: 2, choice: 3 };
  expect(() => column.change([{ ...held, choice: 4 }], [])).toThrow('is not held');
  expect(() => column.change([held, held], [])).toThrow('is not held');
});

it('uses 16 bytes per answer', () => {
  const column = new AnswerColumn();
  for (let n = 0; n < 10_000; n += 1) column.append(n, n % 100, 0);
  column.rows.trim();
  expect(column.bytes).toBe(160_000);
});
