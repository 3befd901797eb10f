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
}

/** Selected answers of one unit, by its ordinal. */
export interface UnitCount {
  readonly unit: number;
  readonly answers: number;
  // Distinct respondents (rule TEXTS-THRESHOLD-1); 0 when an answer withholds the unit.
  readonly respondents: number;
}

/**
 * Selected answers in display order, before scoring-anonymity decides which units are released.
 */
export class Selection {
  /** Counts of every requested unit, also of units without answers. */
  readonly counts: readonly UnitCount[];
  readonly #ids: Uint32Array;
  readonly #units: Uint32Array;
  readonly #unitCount: number;

  constructor(columns: AnswerColumns, filter: Filter, respondents: number) {
    this.#unitCount = filter.units.length;
    const withheld = new Uint8Array(this.#unitCount);
    const indexes = indexesIn(columns, filter, withheld);
    this.#ids = indexes.map((index) => columns.ids[index] ?? 0);
    this.#units = indexes.map((index) => columns[filter.kind][index] ?? 0);
    const writers = indexes.map((index) => columns.respondents[index] ?? 0);
    this.counts = countByUnit(this.#units, writers, this.#unitCount, respondents)
      .filter(({ unit }) => filter.units[unit] === 1)
      .map((count) => (withheld[count.unit] === 1 ? { ...count, respondents: 0 } : count));
  }

  get bytes(): number {
    return this.#ids.byteLength + this.#units.byteLength;
  }

  /** Returns the number of selected answers in these units. */
  countIn(released: ReadonlySet<number>): number {
    return this.counts.reduce((sum, { unit, answers }) => sum + (released.has(unit) ? answers : 0), 0);
  }

  /** Returns those of the answers that are in these units, in display order. */
  among(ids: ReadonlySet<number>, released: ReadonlySet<number>): number[] {
    const found: number[] = [];
    for (let index = 0; index < this.#ids.length && found.length < ids.size; index += 1) {
      const id = this.#ids[index] ?? 0;
      if (released.has(this.#units[index] ?? 0) && ids.has(id)) found.push(id);
    }
    return found;
  }

  /** Returns the ids of up to `limit` answers of these units, after the first `offset`. */
  page(released: ReadonlySet<number>, limit: number, offset: number): number[] {
    const most = Math.min(limit, Math.max(0, this.countIn(released) - offset));
    const isReleased = new Uint8Array(this.#unitCount);
    for (const unit of released) isReleased[unit] = 1;
    const page: number[] = [];
    let passed = 0;
    for (let index = 0; page.length < most; index += 1) {
      passed += isReleased[this.#units[index] ?? 0] ?? 0;
      if (passed > offset && isReleased[this.#units[index] ?? 0] === 1) page.push(this.#ids[index] ?? 0);
    }
    return page;
  }
}

// Marks the units that one of their answers withholds.
function indexesIn(columns: AnswerColumns, filter: Filter, withheld: Uint8Array): Uint32Array {
  const { questions, optionSets, states, length } = columns;
  const units = columns[filter.kind];
  const found = new Uint32Array(length);
  let count = 0;
  for (let index = 0; index < length; index += 1) {
    const unit = units[index] ?? -1;
    if (filter.units[unit] !== 1) continue;
    if (filter.withholding[states[index] ?? 0] === 1) withheld[unit] = 1;
    if (filter.states[states[index] ?? 0] !== 1) continue;
    if (filter.questions[questions[index] ?? 0] !== 1) continue;
    if (filter.optionSets !== undefined && filter.optionSets[optionSets[index] ?? -1] !== 1) continue;
    found[count] = index;
    count += 1;
  }
  return found.slice(0, count);
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
