import { formBlocks } from '@survey/scoring-anonymity/rules/disclosure-guard.ts';

/**
 * The answers of one group of respondents to one question in one cycle. The attacker knows the
 * number of answers, not their values.
 */
export interface Cell {
  readonly questionId: number;
  readonly cycle: number;
  // Respondents with the same options of the filter attribute.
  readonly group: number;
  readonly count: number;
  // Sum of the values, in percent.
  readonly sum: number;
}

/** A score over the cycles from `first` to `last`. */
export interface CellCall {
  readonly questionIds: readonly number[];
  readonly first: number;
  readonly last: number;
  // Groups that the filter matches; undefined: no filter.
  readonly groups?: readonly number[] | undefined;
}

interface AnsweredCall extends CellCall {
  readonly score: number;
}

/** Returns a call for each set of the questions, each series of cycles, and each set of groups. */
export function allCalls(questionIds: readonly number[], cycles: number, groups: readonly number[] = []): CellCall[] {
  const series = Array.from({ length: cycles }, (_, first) =>
    Array.from({ length: cycles - first }, (_, length) => ({ first, last: first + length })),
  ).flat();
  const filters = [undefined, ...subsetsOf(groups)];
  return subsetsOf(questionIds).flatMap((questionIds) =>
    series.flatMap((each) => filters.map((groups) => ({ questionIds, ...each, groups }))),
  );
}

function subsetsOf(ids: readonly number[]): number[][] {
  return Array.from({ length: 2 ** ids.length - 1 }, (_, index) => ids.filter((_, bit) => (((index + 1) >> bit) & 1) === 1));
}

/** Groups of one question in one cycle that are released together. */
type Blocks = (questionId: number, cycle: number) => readonly (readonly number[])[];

/** Returns the blocks as scoring-anonymity forms them. Each respondent answers a question once. */
export function blocksOf(cells: readonly Cell[], threshold: number): Blocks {
  const formed = Map.groupBy(
    cells.filter(({ count }) => count > 0),
    ({ questionId, cycle }) => `${questionId}/${cycle}`,
  );
  const blocks = new Map(
    [...formed].map(([key, own]) => {
      const groups = own.map(({ count }) => ({ respondents: count, answers: count, mostAnswers: 1 }));
      return [key, formBlocks(threshold, groups).map((indexes) => indexes.map((index) => own[index]?.group ?? 0))];
    }),
  );
  return (questionId, cycle) => blocks.get(`${questionId}/${cycle}`) ?? [];
}

/** Returns whether a cell contributes to the score of a call: all do, or those of whole blocks. */
export function contributes(cell: Cell, { questionIds, first, last, groups }: CellCall, blocks?: Blocks): boolean {
  if (!questionIds.includes(cell.questionId) || cell.cycle < first || cell.cycle > last) return false;
  if (blocks === undefined) return groups === undefined || groups.includes(cell.group);
  const block = blocks(cell.questionId, cell.cycle).find((members) => members.includes(cell.group));
  return block !== undefined && (groups === undefined || block.every((group) => groups.includes(group)));
}

/**
 * Returns whether all answers or whole blocks explain the scores.
 * @throws when neither does
 */
export function explain(answered: readonly AnsweredCall[], cells: readonly Cell[], blocks: Blocks): Blocks | undefined {
  const [found] = [[undefined], [blocks]].filter(([some]) =>
    answered.every((call) => Math.abs(call.score - scoreFrom(cells, call, some)) < 0.006),
  );
  if (found === undefined) throw new Error('cannot explain the scores: expected all answers, or whole blocks');
  return found[0];
}

const scoreFrom = (cells: readonly Cell[], call: CellCall, blocks?: Blocks): number =>
  weights(cells, call, blocks).reduce((score, weight, index) => score + weight * meanOf(cells[index]), 0);

const meanOf = (cell: Cell | undefined): number => (cell === undefined || cell.count === 0 ? 0 : cell.sum / cell.count);

/** Returns the weight of each cell's mean in the score. */
function weights(cells: readonly Cell[], call: CellCall, blocks?: Blocks): number[] {
  const isIn = (cell: Cell): boolean => contributes(cell, call, blocks);
  const totals = new Map<number, number>();
  for (const { questionId, count } of cells.filter(isIn))
    if (count > 0) totals.set(questionId, (totals.get(questionId) ?? 0) + count);
  return cells.map((cell) => (isIn(cell) ? cell.count / (totals.get(cell.questionId) ?? 1) / totals.size : 0));
}

/**
 * Returns the cells whose mean a linear combination of the scores equals. It is exact: after
 * elimination, such a cell is alone in its row. The attacker knows the number of answers of each
 * cell.
 */
export function isolatedCells(answered: readonly CellCall[], cells: readonly Cell[], blocks?: Blocks): Cell[] {
  const rows = eliminate(answered.map((call) => weights(cells, call, blocks)));
  return rows.flatMap((row) => {
    const [column = -1, ...others] = [...row.keys()].filter((index) => !isZero(row[index]));
    return others.length === 0 ? (cells[column] ?? []) : [];
  });
}

/** Adds up the groups of each question and cycle. */
export function withoutGroups(cells: readonly Cell[]): Cell[] {
  return [...Map.groupBy(cells, ({ questionId, cycle }) => `${questionId}/${cycle}`).values()].flatMap((groups) => {
    const [first] = groups;
    if (first === undefined) return [];
    const total = (of: (cell: Cell) => number): number => groups.reduce((sum, cell) => sum + of(cell), 0);
    return [{ ...first, group: 0, count: total(({ count }) => count), sum: total(({ sum }) => sum) }];
  });
}

const isZero = (value = 0): boolean => Math.abs(value) < 1e-9;

// Gauss-Jordan elimination with partial pivoting. Returns the reduced rows that are not zero.
function eliminate(matrix: readonly (readonly number[])[]): number[][] {
  let rows = matrix.map((row) => [...row]);
  const reduced: number[][] = [];
  for (const column of matrix[0]?.keys() ?? []) {
    const pivot = rows.toSorted((a, b) => Math.abs(b[column] ?? 0) - Math.abs(a[column] ?? 0))[0];
    const size = pivot?.[column] ?? 0;
    if (pivot === undefined || isZero(size)) continue;
    const unit = pivot.map((value) => value / size);
    const without = (row: number[]): number[] => row.map((value, index) => value - (row[column] ?? 0) * (unit[index] ?? 0));
    rows = rows.filter((row) => row !== pivot).map(without);
    reduced.splice(0, reduced.length, ...reduced.map(without), unit);
  }
  return reduced;
}
