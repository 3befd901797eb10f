/** The answers to one question in one cycle. */
export interface Cell {
  readonly questionId: number;
  readonly cycle: number;
  readonly count: number;
  // Sum of the values, in percent.
  readonly sum: number;
}

/** A score over the cycles from `first` to `last`. */
export interface CellCall {
  readonly questionIds: readonly number[];
  readonly first: number;
  readonly last: number;
}

interface AnsweredCall extends CellCall {
  readonly score: number;
}

/** Returns a call for each set of the questions and each series of cycles. */
export function allCalls(questionIds: readonly number[], cycles: number): CellCall[] {
  const sets = Array.from({ length: 2 ** questionIds.length - 1 }, (_, index) =>
    questionIds.filter((_, bit) => (((index + 1) >> bit) & 1) === 1),
  );
  const series = Array.from({ length: cycles }, (_, first) =>
    Array.from({ length: cycles - first }, (_, length) => ({ first, last: first + length })),
  ).flat();
  return sets.flatMap((questionIds) => series.map((each) => ({ questionIds, ...each })));
}

/**
 * Returns the cells from which the scores were computed: all, or those that reach the threshold.
 * @throws when neither explains every score
 */
export function contributingCells(answered: readonly AnsweredCall[], cells: readonly Cell[], threshold: number): readonly Cell[] {
  const large = cells.filter(({ count }) => count >= threshold);
  const found = [cells, large].find((some) => answered.every((call) => Math.abs(call.score - scoreFrom(some, call)) < 0.006));
  if (found === undefined) throw new Error('cannot explain the scores: expected all answers, or whole blocks');
  return found;
}

const scoreFrom = (cells: readonly Cell[], call: CellCall): number =>
  weights(cells, call).reduce((score, weight, index) => score + weight * meanOf(cells[index]), 0);

const meanOf = (cell: Cell | undefined): number => (cell === undefined || cell.count === 0 ? 0 : cell.sum / cell.count);

/** Returns the weight of each cell's mean in the score. */
function weights(cells: readonly Cell[], { questionIds, first, last }: CellCall): number[] {
  const isIn = ({ questionId, cycle }: Cell): boolean => questionIds.includes(questionId) && cycle >= first && cycle <= last;
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
export function isolatedCells(answered: readonly CellCall[], cells: readonly Cell[]): Cell[] {
  const rows = eliminate(answered.map((call) => weights(cells, call)));
  return rows.flatMap((row) => {
    const [column = -1, ...others] = [...row.keys()].filter((index) => !isZero(row[index]));
    return others.length === 0 ? (cells[column] ?? []) : [];
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
