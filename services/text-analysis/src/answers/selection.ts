import type { AnswerColumns } from './answer-columns.ts';

/** What is released or withheld as a whole: a cycle, or with the disclosure guard a block. */
export type UnitKind = 'cycles' | 'blocks';

/** Lookup tables that are 1 for every selected unit, question, option set and state. */
export interface Filter {
  readonly kind: UnitKind;
  readonly units: Uint8Array;
  readonly questions: Uint8Array;
  // Undefined when the filter does not restrict options.
  readonly optionSets: Uint8Array | undefined;
  readonly states: Uint8Array;
  // States of an answer that withhold its whole unit (rule GUARD-TEXTS-5).
  readonly withholding: Uint8Array;
  // State of an answer that counts for its respondent and is not returned (rule TEXTS-WITHHELD-1).
  readonly hidden: number;
}

/** Selected answers of one unit, by its ordinal; withheld ones count. */
export interface UnitCount {
  readonly unit: number;
  readonly answers: number;
  // Distinct respondents (rule TEXTS-THRESHOLD-1); 0 when an answer withholds the unit.
  readonly respondents: number;
}

/** Released answers of a selection. */
export interface ReleasedAnswers {
  // Ordinals of the released units.
  readonly units: Uint32Array;
  // Ids of the answers, in display order.
  readonly ids: Uint32Array;
  // Ids of the answers that an account admin withholds (rule TEXTS-WITHHELD-1).
  readonly withheldIds: readonly number[];
}

/** Decision of scoring-anonymity about a selection. */
interface SelectionDecision {
  readonly released: ReleasedAnswers;
  // The decision holds as long as these and the counts of the selection stay the same.
  readonly surveyIds: readonly number[];
  readonly thresholds: Buffer;
}

/**
 * Selected answers in display order, with what scoring-anonymity has decided about them. Both are
 * kept while a client reads page after page, so that a page costs as much as it returns.
 */
export class Selection {
  /** Counts of every requested unit, including units without answers. */
  readonly counts: readonly UnitCount[];
  /** The latest decision. It must be confirmed for every page. */
  decision: SelectionDecision | undefined;
  readonly #ids: Uint32Array;
  readonly #units: Uint32Array;
  readonly #hidden: readonly { readonly id: number; readonly unit: number }[];
  readonly #unitCount: number;

  constructor(columns: AnswerColumns, filter: Filter, respondents: number) {
    this.#unitCount = filter.units.length;
    const withheld = new Uint8Array(this.#unitCount);
    const indexes = indexesIn(columns, filter, withheld);
    const writers = indexes.map((index) => columns.respondents[index] ?? 0);
    const units = indexes.map((index) => columns[filter.kind][index] ?? 0);
    const visibleIndexes = indexes.filter((index) => columns.states[index] !== filter.hidden);
    const hiddenIndexes =
      visibleIndexes.length === indexes.length ? [] : [...indexes].filter((index) => columns.states[index] === filter.hidden);
    this.#hidden = hiddenIndexes.map((index) => ({ id: columns.ids[index] ?? 0, unit: columns[filter.kind][index] ?? 0 }));
    this.#ids = visibleIndexes.map((index) => columns.ids[index] ?? 0);
    this.#units =
      visibleIndexes.length === units.length ? units : visibleIndexes.map((index) => columns[filter.kind][index] ?? 0);
    this.counts = countByUnit(units, writers, this.#unitCount, respondents)
      .filter(({ unit }) => filter.units[unit] === 1)
      .map((count) => (withheld[count.unit] === 1 ? { ...count, respondents: 0 } : count));
  }

  get bytes(): number {
    const released = this.decision?.released;
    return this.#ids.byteLength + this.#units.byteLength + (released ? released.ids.byteLength + released.units.byteLength : 0);
  }

  /** Returns the selected answers in these units. */
  in(units: readonly number[]): ReleasedAnswers {
    const isReleased = new Uint8Array(this.#unitCount);
    for (const unit of units) isReleased[unit] = 1;
    const ids = this.#ids.filter((_, index) => isReleased[this.#units[index] ?? 0] === 1);
    const withheldIds = this.#hidden.flatMap(({ id, unit }) => (isReleased[unit] === 1 ? id : []));
    return { units: Uint32Array.from(units), ids, withheldIds };
  }
}

// Marks the units that one of their answers withholds.
function indexesIn(columns: AnswerColumns, filter: Filter, withheld: Uint8Array): Uint32Array {
  const { questions, optionSets, states, length } = columns;
  const units = columns[filter.kind];
  const indexes = new Uint32Array(length);
  let count = 0;
  for (let index = 0; index < length; index += 1) {
    const unit = units[index] ?? -1;
    if (filter.units[unit] !== 1) continue;
    if (filter.withholding[states[index] ?? 0] === 1) withheld[unit] = 1;
    if (filter.states[states[index] ?? 0] !== 1) continue;
    if (filter.questions[questions[index] ?? 0] !== 1) continue;
    if (filter.optionSets !== undefined && filter.optionSets[optionSets[index] ?? -1] !== 1) continue;
    indexes[count] = index;
    count += 1;
  }
  return indexes.slice(0, count);
}

// Plain loops: array iterators over two million answers take longer than counting them.
// Respondents are grouped by unit first, so one mark per respondent is enough.
function countByUnit(units: Uint32Array, writers: Uint32Array, unitCount: number, respondents: number): UnitCount[] {
  const ends = new Uint32Array(unitCount);
  for (let index = 0; index < units.length; index += 1) add(ends, units[index] ?? 0, 1);
  for (let unit = 1; unit < unitCount; unit += 1) add(ends, unit, ends[unit - 1] ?? 0);
  const next = new Uint32Array(unitCount);
  next.set(ends.subarray(0, Math.max(0, unitCount - 1)), Math.min(1, unitCount));
  const sorted = new Uint32Array(writers.length);
  for (let index = 0; index < units.length; index += 1) {
    const unit = units[index] ?? 0;
    sorted[next[unit] ?? 0] = writers[index] ?? 0;
    add(next, unit, 1);
  }
  const marks = new Uint32Array(respondents);
  return Array.from(ends, (end, unit) => {
    const start = unit === 0 ? 0 : (ends[unit - 1] ?? 0);
    return { unit, answers: end - start, respondents: countDistinct(sorted.subarray(start, end), marks, unit + 1) };
  });
}

function add(counts: Uint32Array, index: number, by: number): void {
  counts[index] = (counts[index] ?? 0) + by;
}

// `mark` must be a value that `marks` does not contain yet.
function countDistinct(respondents: Uint32Array, marks: Uint32Array, mark: number): number {
  let distinct = 0;
  for (let index = 0; index < respondents.length; index += 1) {
    const respondent = respondents[index] ?? 0;
    if (marks[respondent] !== mark) distinct += 1;
    marks[respondent] = mark;
  }
  return distinct;
}
