import type { AnswerColumns } from './answer-columns.ts';

/** Lookup tables that are 1 for every selected cycle, question, option set and state. */
export interface Filter {
  readonly cycles: Uint8Array;
  readonly questions: Uint8Array;
  // Undefined when the filter does not restrict options.
  readonly optionSets: Uint8Array | undefined;
  readonly states: Uint8Array;
}

/** Selected answers of one cycle. */
export interface CycleCount {
  readonly cycle: number;
  readonly answers: number;
  // Distinct respondents (rule TEXTS-THRESHOLD-1).
  readonly respondents: number;
}

/**
 * Selected answers in display order, before scoring-anonymity decides which cycles are released.
 */
export class Selection {
  /** Counts of every requested cycle, also of cycles without answers. */
  readonly cycleCounts: readonly CycleCount[];
  readonly #ids: Uint32Array;
  readonly #cycles: Uint32Array;

  constructor(columns: AnswerColumns, filter: Filter, respondents: number) {
    const indexes = indexesIn(columns, filter);
    this.#ids = indexes.map((index) => columns.ids[index] ?? 0);
    this.#cycles = indexes.map((index) => columns.cycles[index] ?? 0);
    const writers = indexes.map((index) => columns.respondents[index] ?? 0);
    this.cycleCounts = countByCycle(this.#cycles, writers, filter.cycles.length, respondents).filter(
      ({ cycle }) => filter.cycles[cycle] === 1,
    );
  }

  get bytes(): number {
    return this.#ids.byteLength + this.#cycles.byteLength;
  }

  /** Returns the number of selected answers in these cycles. */
  countIn(released: ReadonlySet<number>): number {
    return this.cycleCounts.reduce((sum, { cycle, answers }) => sum + (released.has(cycle) ? answers : 0), 0);
  }

  /** Returns those of the answers that are in these cycles, in display order. */
  among(ids: ReadonlySet<number>, released: ReadonlySet<number>): number[] {
    const found: number[] = [];
    for (let index = 0; index < this.#ids.length && found.length < ids.size; index += 1) {
      const id = this.#ids[index] ?? 0;
      if (released.has(this.#cycles[index] ?? 0) && ids.has(id)) found.push(id);
    }
    return found;
  }

  /** Returns the ids of up to `limit` answers of these cycles, after the first `offset`. */
  page(released: ReadonlySet<number>, limit: number, offset: number): number[] {
    const most = Math.min(limit, Math.max(0, this.countIn(released) - offset));
    const isReleased = new Uint8Array(Math.max(-1, ...released) + 1);
    for (const cycle of released) isReleased[cycle] = 1;
    const page: number[] = [];
    let passed = 0;
    for (let index = 0; page.length < most; index += 1) {
      passed += isReleased[this.#cycles[index] ?? 0] ?? 0;
      if (passed > offset && isReleased[this.#cycles[index] ?? 0] === 1) page.push(this.#ids[index] ?? 0);
    }
    return page;
  }
}

function indexesIn(columns: AnswerColumns, filter: Filter): Uint32Array {
  const { cycles, questions, optionSets, states, length } = columns;
  const found = new Uint32Array(length);
  let count = 0;
  for (let index = 0; index < length; index += 1) {
    if (filter.states[states[index] ?? 0] !== 1 || filter.cycles[cycles[index] ?? 0] !== 1) continue;
    if (filter.questions[questions[index] ?? 0] !== 1) continue;
    if (filter.optionSets !== undefined && filter.optionSets[optionSets[index] ?? -1] !== 1) continue;
    found[count] = index;
    count += 1;
  }
  return found.slice(0, count);
}

// Plain loops: array iterators over two million answers take longer than counting them.
// Respondents are grouped by cycle first, so one mark per respondent is enough.
function countByCycle(cycles: Uint32Array, writers: Uint32Array, cycleCount: number, respondents: number): CycleCount[] {
  const ends = new Uint32Array(cycleCount);
  for (let index = 0; index < cycles.length; index += 1) add(ends, cycles[index] ?? 0, 1);
  for (let cycle = 1; cycle < cycleCount; cycle += 1) add(ends, cycle, ends[cycle - 1] ?? 0);
  const next = new Uint32Array(cycleCount);
  next.set(ends.subarray(0, Math.max(0, cycleCount - 1)), Math.min(1, cycleCount));
  const sorted = new Uint32Array(writers.length);
  for (let index = 0; index < cycles.length; index += 1) {
    const cycle = cycles[index] ?? 0;
    sorted[next[cycle] ?? 0] = writers[index] ?? 0;
    add(next, cycle, 1);
  }
  const marks = new Uint32Array(respondents);
  return Array.from(ends, (end, cycle) => {
    const start = cycle === 0 ? 0 : (ends[cycle - 1] ?? 0);
    return { cycle, answers: end - start, respondents: countDistinct(sorted.subarray(start, end), marks, cycle + 1) };
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
