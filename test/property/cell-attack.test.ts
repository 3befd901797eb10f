import { releaseGuardedScore } from '@survey/scoring-anonymity/rules/disclosure-guard.ts';
import { releaseScore } from '@survey/scoring-anonymity/rules/release.ts';
import { scaleOf } from '@survey/scoring-anonymity/rules/scale.ts';
import { expect, it } from 'vitest';
import {
  allCalls,
  blocksOf,
  contributes,
  explain,
  isolatedCells,
  withoutGroups,
  type Cell,
  type CellCall,
} from './cell-attack.ts';
import { seededRandom } from '../support/random.ts';
import { optionsOf } from '../support/scales.ts';

const THRESHOLD = 5;
const QUESTIONS = [11, 12, 13, 14];
const CYCLES = 3;
// Large, large, small and tiny.
const GROUPS = [1, 2, 3, 4];
const SEEDS = Number(process.env['GUARD_SEEDS'] ?? 8);
// Filters multiply the calls.
const FILTERED_SEEDS = Math.ceil(SEEDS / 4);
const SCALE = scaleOf('stars', optionsOf(11));

interface PeopledCell extends Cell {
  readonly employees: readonly number[];
}

const groupOf = (employee: number): number => (employee % 20 < 9 ? 1 : employee % 20 < 17 ? 2 : employee % 20 < 19 ? 3 : 4);

/** Cells of an account: every employee answers the first question, few answer the others. */
function cellsOf(people: number, random: () => number): PeopledCell[] {
  return QUESTIONS.flatMap((questionId) =>
    Array.from({ length: CYCLES }, (_, cycle) => {
      const part = questionId === QUESTIONS[0] ? 0.8 : 5 / people;
      const given = Array.from({ length: people }, (_, employee) => employee).filter(() => random() < part);
      return GROUPS.map((group) => {
        const employees = given.filter((employee) => groupOf(employee) === group);
        const sum = employees.reduce((sum) => sum + 25 * Math.floor(random() * 5), 0);
        return { questionId, cycle, group, count: employees.length, sum, employees };
      });
    }).flat(),
  );
}

/** Decides a call. Guards with a memory know the calls that they answered before. */
type Guard = (call: CellCall, cells: readonly PeopledCell[], answered: readonly CellCall[]) => number | null;

const talliesOf = ({ questionIds }: CellCall, cells: readonly PeopledCell[]) =>
  questionIds.flatMap((id) => {
    const own = cells.filter(({ questionId }) => questionId === id);
    const count = own.reduce((total, cell) => total + cell.count, 0);
    return count === 0 ? [] : [{ count, sum: own.reduce((total, cell) => total + cell.sum, 0), denominator: 100 }];
  });

const respondentsOf = (cells: readonly PeopledCell[]): number => new Set(cells.flatMap(({ employees }) => employees)).size;

// Also the weakened guard that applies the threshold to the union of the respondents.
const off: Guard = (call, cells) => {
  const asked = cells.filter((cell) => contributes(cell, call));
  const scoreThresholds = call.questionIds.map(() => THRESHOLD);
  return releaseScore({ scoreThresholds, tallies: talliesOf(call, asked), respondents: respondentsOf(asked) }).score;
};

const thresholdPerQuestion: Guard = (call, cells, answered) =>
  call.questionIds.every(
    (id) => respondentsOf(cells.filter((cell) => contributes(cell, { ...call, questionIds: [id] }))) >= THRESHOLD,
  )
    ? off(call, cells, answered)
    : null;

const isReleasable = (respondents: number): boolean => respondents === 0 || respondents >= THRESHOLD;

// Requires that the respondents whom the filter excludes reach the threshold, too.
const complementRule: Guard = (call, cells, answered) => {
  const others = cells.filter((cell) => contributes(cell, { ...call, groups: undefined }) && !contributes(cell, call));
  return isReleasable(respondentsOf(others)) ? thresholdPerQuestion(call, cells, answered) : null;
};

// Requires that a call differs from each call answered before by as many answers as the threshold.
const overlapMemory: Guard = (call, cells, answered) => {
  const differs = (before: CellCall): boolean =>
    isReleasable(
      cells.filter((cell) => contributes(cell, call) !== contributes(cell, before)).reduce((sum, { count }) => sum + count, 0),
    );
  return answered.every(differs) ? thresholdPerQuestion(call, cells, answered) : null;
};

const strict: Guard = (call, cells) => {
  const blocks = blocksOf(cells, THRESHOLD);
  const asked = cells.filter((cell) => contributes(cell, call, blocks));
  const questions = call.questionIds.map(() => ({ scoreThreshold: THRESHOLD, scale: SCALE }));
  return releaseGuardedScore({ questions, tallies: talliesOf(call, asked), respondents: respondentsOf(asked) }).score;
};

const isSmall = ({ count }: Cell): boolean => count > 0 && count < THRESHOLD;

/** Returns the part of the cells below the threshold that the attacker isolates. */
function isolatedPart(people: number, guard: Guard, groups: readonly number[]): number {
  let [small, isolated] = [0, 0];
  const seeds = groups.length > 0 ? FILTERED_SEEDS : SEEDS;
  for (let seed = 1; seed <= seeds; seed += 1) {
    const cells = cellsOf(people, seededRandom(seed));
    const answered: (CellCall & { score: number })[] = [];
    for (const call of allCalls(QUESTIONS, CYCLES, groups)) {
      const score = guard(call, cells, answered);
      if (score !== null) answered.push({ ...call, score });
    }
    expect(answered).not.toHaveLength(0);
    // Without a filter, only the sums of the groups can be isolated.
    const known = groups.length > 0 ? cells : withoutGroups(cells);
    const explained = explain(answered, known, blocksOf(known, THRESHOLD));
    small += known.filter(isSmall).length;
    isolated += isolatedCells(answered, known, explained).filter(isSmall).length;
  }
  expect(small).toBeGreaterThan(seeds);
  return isolated / small;
}

it.each([20, 100, 500])(
  'isolates no cell below the threshold of %i employees by linear algebra, with and without filters [GUARD-SCORES-1] [GUARD-SEGMENTS-2]',
  (people) => {
    expect(isolatedPart(people, strict, [])).toBe(0);
    expect(isolatedPart(people, strict, GROUPS)).toBe(0);
  },
);

it.each([20, 100, 500])('isolates the cells of %i employees when the guard is off [SCORES-THRESHOLD-5]', (people) => {
  expect(isolatedPart(people, off, [])).toBeGreaterThan(0.95);
});

it('isolates cells when the threshold only applies to each question of a call [GUARD-SCORES-2]', () => {
  expect(isolatedPart(100, thresholdPerQuestion, [])).toBeGreaterThan(0.5);
});

it('isolates cells when the groups beside a filter must reach the threshold [GUARD-TEXTS-2]', () => {
  expect(isolatedPart(100, complementRule, GROUPS)).toBeGreaterThan(0);
});

it('isolates cells when a call must differ from each earlier one by the threshold [GUARD-BLOCKS-1]', () => {
  expect(isolatedPart(100, overlapMemory, [])).toBeGreaterThan(0);
});

/** Publications of one cell over time, each a set of respondents. The attacker compares all. */
function isolatedRespondents(published: readonly ReadonlySet<number>[]): number {
  const seen = new Map<number, string>();
  for (const [version, respondents] of published.entries())
    for (const each of respondents) seen.set(each, `${seen.get(each) ?? ''}/${version}`);
  const groups = Map.groupBy(seen.keys(), (each) => seen.get(each) ?? '');
  return [...groups.values()].filter(({ length }) => length < THRESHOLD).reduce((sum, { length }) => sum + length, 0);
}

const employees = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

// A respondent arrives late together with helpers, who withdraw their answers afterwards.
const JOINS_AND_LEAVES = [employees(1, 10), employees(1, 16), [...employees(1, 10), 16]];

it('isolates a respondent when a version must differ from the previous one by the threshold [GUARD-BLOCKS-3]', () => {
  const published: Set<number>[] = [];
  for (const given of JOINS_AND_LEAVES) {
    const [next, previous = new Set<number>()] = [new Set(given), published.at(-1)];
    const changes = [...previous, ...next].filter((each) => !(previous.has(each) && next.has(each)));
    if (changes.length >= THRESHOLD) published.push(next);
  }
  expect(isolatedRespondents(published)).toBe(1);
});

it('isolates a respondent when blocks are made again after a threshold changes [GUARD-BLOCKS-4]', () => {
  // One late answer, which waits while blocks stay, is part of the blocks that are made again.
  const published = [employees(1, 10), employees(1, 11)].map((given) => new Set(given));
  expect(published.every(({ size }) => size >= THRESHOLD)).toBe(true);
  expect(isolatedRespondents(published)).toBe(1);
});
