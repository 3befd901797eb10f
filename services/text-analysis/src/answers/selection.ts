import type { AnswerColumns } from './answer-columns.ts';

/** Which answers are meant: 1 for what belongs to it, by cycle, question, option set and state. */
export interface Filter {
  readonly cycles: Uint8Array;
  readonly questions: Uint8Array;
  // Undefined when options do not matter.
  readonly optionSets: Uint8Array | undefined;
  readonly states: Uint8Array;
}

/** What a cycle would contribute. */
export interface CycleCount {
  readonly cycle: number;
  readonly answers: number;
  // Distinct people behind them (rule TEXTS-THRESHOLD-1).
  readonly people: number;
}

/** The answers that would be released if their cycles were, in the order in which they are shown. */
export class Selection {
  /** Counts of every cycle that is asked for, also of those without answers. */
  readonly cycleCounts: readonly CycleCount[];
  readonly #ids: Uint32Array;
  readonly #cycles: Uint32Array;

  constructor(columns: AnswerColumns, filter: Filter, people: number) {
    const indexes = indexesIn(columns, filter);
    this.#ids = indexes.map((index) => columns.ids[index] ?? 0);
    this.#cycles = indexes.map((index) => columns.cycles[index] ?? 0);
    const writers = indexes.map((index) => columns.people[index] ?? 0);
    this.cycleCounts = countByCycle(this.#cycles, writers, filter.cycles.length, people).filter(
      ({ cycle }) => filter.cycles[cycle] === 1,
    );
  }

  get bytes(): number {
    return this.#ids.byteLength + this.#cycles.byteLength;
  }

  /** How many answers these cycles contribute. */
  countIn(released: ReadonlySet<number>): number {
    return this.cycleCounts.reduce((sum, { cycle, answers }) => sum + (released.has(cycle) ? answers : 0), 0);
  }

  /** The ids of up to `limit` answers of these cycles, after the first `offset`. */
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

// Plain loops: iterating over the entries of two million answers takes longer than counting them. People are sorted by cycle first, so that one mark for
// each person is enough.
function countByCycle(cycles: Uint32Array, writers: Uint32Array, cycleCount: number, people: number): CycleCount[] {
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
  const marks = new Uint32Array(people);
  return Array.from(ends, (end, cycle) => {
    const start = cycle === 0 ? 0 : (ends[cycle - 1] ?? 0);
    return { cycle, answers: end - start, people: countDistinct(sorted.subarray(start, end), marks, cycle + 1) };
  });
}

function add(counts: Uint32Array, index: number, by: number): void {
  counts[index] = (counts[index] ?? 0) + by;
}

// `mark` is one that nobody has yet.
function countDistinct(people: Uint32Array, marks: Uint32Array, mark: number): number {
  let distinct = 0;
  for (let index = 0; index < people.length; index += 1) {
    const person = people[index] ?? 0;
    if (marks[person] !== mark) distinct += 1;
    marks[person] = mark;
  }
  return distinct;
}
