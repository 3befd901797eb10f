import { formsBlock, releaseGuardedScore } from '@survey/scoring-anonymity/rules/disclosure-guard.ts';
import { releaseScore } from '@survey/scoring-anonymity/rules/release.ts';
import { scaleOf } from '@survey/scoring-anonymity/rules/scale.ts';
import { expect, it } from 'vitest';
import { allCalls, contributingCells, isolatedCells, type Cell, type CellCall } from '../failure/cell-attack.ts';
import { seededRandom } from '../support/random.ts';
import { optionsOf } from '../support/scales.ts';

const THRESHOLD = 5;
const QUESTIONS = [11, 12, 13, 14];
const CYCLES = 3;
const SEEDS = 20;
const SCALE = scaleOf('stars', optionsOf(11));

interface PeopledCell extends Cell {
  readonly employees: readonly number[];
}

/** Cells of an account: every employee answers the first question, few answer the others. */
function cellsOf(people: number, random: () => number): PeopledCell[] {
  return QUESTIONS.flatMap((questionId) =>
    Array.from({ length: CYCLES }, (_, cycle) => {
      const part = questionId === QUESTIONS[0] ? 0.8 : 5 / people;
      const employees = Array.from({ length: people }, (_, index) => index).filter(() => random() < part);
      const sum = employees.reduce((sum) => sum + 25 * Math.floor(random() * 5), 0);
      return { questionId, cycle, count: employees.length, sum, employees };
    }),
  );
}

type Guard = (call: CellCall, cells: readonly PeopledCell[]) => number | null;

const talliesOf = ({ questionIds }: CellCall, cells: readonly PeopledCell[]) =>
  questionIds.flatMap((id) => {
    const own = cells.filter(({ questionId }) => questionId === id);
    const count = own.reduce((total, cell) => total + cell.count, 0);
    return count === 0 ? [] : [{ count, sum: own.reduce((total, cell) => total + cell.sum, 0), denominator: 100 }];
  });

const respondentsOf = (cells: readonly PeopledCell[]): number => new Set(cells.flatMap(({ employees }) => employees)).size;

const off: Guard = (call, cells) => {
  const scoreThresholds = call.questionIds.map(() => THRESHOLD);
  return releaseScore({ scoreThresholds, tallies: talliesOf(call, cells), respondents: respondentsOf(cells) }).score;
};

const thresholdPerQuestion: Guard = (call, cells) =>
  call.questionIds.every((id) => respondentsOf(cells.filter(({ questionId }) => questionId === id)) >= THRESHOLD)
    ? off(call, cells)
    : null;

const strict: Guard = (call, cells) => {
  const blocks = cells.filter(({ count }) =>
    formsBlock({ configuredThreshold: THRESHOLD, respondents: count, answers: count, mostAnswers: Math.min(count, 1) }),
  );
  const questions = call.questionIds.map(() => ({ scoreThreshold: THRESHOLD, scale: SCALE }));
  return releaseGuardedScore({ questions, tallies: talliesOf(call, blocks), respondents: respondentsOf(blocks) }).score;
};

/** Returns the part of the cells below the threshold that the attacker isolates. */
function isolatedPart(people: number, guard: Guard): number {
  let [small, isolated] = [0, 0];
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const cells = cellsOf(people, seededRandom(seed));
    const isSmall = ({ count }: Cell): boolean => count > 0 && count < THRESHOLD;
    const answered = allCalls(QUESTIONS, CYCLES).flatMap((call) => {
      const asked = cells.filter(
        ({ questionId, cycle }) => call.questionIds.includes(questionId) && cycle >= call.first && cycle <= call.last,
      );
      const score = guard(call, asked);
      return score === null ? [] : [{ ...call, score }];
    });
    expect(answered).not.toHaveLength(0);
    small += cells.filter(isSmall).length;
    isolated += isolatedCells(answered, contributingCells(answered, cells, THRESHOLD)).filter(isSmall).length;
  }
  expect(small).toBeGreaterThan(SEEDS);
  return isolated / small;
}

it.each([20, 100, 500])('isolates no cell below the threshold of %i employees by linear algebra [GUARD-SCORES-1]', (people) => {
  expect(isolatedPart(people, strict)).toBe(0);
});

it.each([20, 100, 500])('isolates the cells of %i employees when the guard is off [SCORES-THRESHOLD-5]', (people) => {
  expect(isolatedPart(people, off)).toBeGreaterThan(0.95);
});

it('isolates cells when the threshold only applies to each question of a call [GUARD-SCORES-2]', () => {
  expect(isolatedPart(100, thresholdPerQuestion)).toBeGreaterThan(0.5);
});
