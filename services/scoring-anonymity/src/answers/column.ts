import type { Scale } from '../rules/scale.ts';
import type { AnswerRow } from './account-snapshot.ts';
import { RespondentSet } from './respondent-set.ts';

const MIN_CAPACITY = 16;
const GROWTH = 1.25;

/** The answers to one question, sorted by time: 16 bytes per answer. */
class AnswerRows {
  length = 0;
  // Whole microseconds: exact for the years 1684 to 2255.
  times = new Float64Array(MIN_CAPACITY);
  respondents = new Uint32Array(MIN_CAPACITY);
  // Per-question code of the choice, so that the table of values is small.
  codes = new Uint32Array(MIN_CAPACITY);

  get bytes(): number {
    return 16 * this.times.length;
  }

  /** Returns the first index at or after the given time among the first `end` answers. */
  firstIndexFrom(timeUs: number, end = this.length): number {
    let low = 0;
    let high = end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.times[middle] ?? 0) < timeUs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Appends an answer that is not earlier than any other. */
  append(timeUs: number, respondent: number, code: number): void {
    this.#reserve(this.length + 1);
    this.#put(this.length, timeUs, respondent, code);
    this.length += 1;
  }

  /**
   * Inserts answers sorted by time, from the last, so that each existing answer moves once. Returns
   * the first index that changed.
   */
  insert(rows: readonly AnswerRow[], codes: readonly number[]): number {
    let end = this.length;
    let index = end;
    this.#reserve(this.length + rows.length);
    this.length += rows.length;
    for (let left = rows.length; left > 0; left -= 1) {
      const row = rows[left - 1];
      if (row === undefined) break;
      index = this.#firstAfter(row.submittedUs, end);
      this.#move(index, end, index + left);
      this.#put(index + left - 1, row.submittedUs, row.respondent, codes[left - 1] ?? 0);
      end = index;
    }
    return index;
  }

  /** Returns the index of an answer that is not in `taken`; -1 when there is none. */
  find(row: AnswerRow, code: number, taken: ReadonlySet<number>): number {
    for (
      let index = this.firstIndexFrom(row.submittedUs);
      index < this.length && this.times[index] === row.submittedUs;
      index += 1
    ) {
      if (this.respondents[index] === row.respondent && this.codes[index] === code && !taken.has(index)) return index;
    }
    return -1;
  }

  /** Removes the answers at the given sorted indexes. */
  remove(indexes: readonly number[]): void {
    for (const [nth, index] of indexes.entries()) this.#move(index + 1, indexes[nth + 1] ?? this.length, index - nth);
    this.length -= indexes.length;
  }

  /** Releases unused capacity. */
  trim(): void {
    this.#resize(Math.max(MIN_CAPACITY, this.length));
  }

  /**
   * Trims a complete column and reuses its buffers, so a load needs spare capacity only for the
   * largest column.
   */
  takeBuffersOf(complete: AnswerRows): void {
    const { times, respondents, codes } = complete;
    complete.trim();
    if (complete.times !== times) Object.assign(this, { times, respondents, codes });
  }

  // Fast path: nearly every new answer is the latest.
  #firstAfter(timeUs: number, end: number): number {
    return end === 0 || (this.times[end - 1] ?? 0) <= timeUs ? end : this.firstIndexFrom(timeUs + 1, end);
  }

  #put(index: number, timeUs: number, respondent: number, code: number): void {
    this.times[index] = timeUs;
    this.respondents[index] = respondent;
    this.codes[index] = code;
  }

  #move(from: number, to: number, target: number): void {
    this.times.copyWithin(target, from, to);
    this.respondents.copyWithin(target, from, to);
    this.codes.copyWithin(target, from, to);
  }

  #reserve(length: number): void {
    if (length > this.times.length) this.#resize(Math.ceil(Math.max(length, MIN_CAPACITY) * GROWTH));
  }

  #resize(capacity: number): void {
    if (capacity === this.times.length) return;
    const { times, respondents, codes, length } = this;
    this.times = new Float64Array(capacity);
    this.respondents = new Uint32Array(capacity);
    this.codes = new Uint32Array(capacity);
    this.times.set(times.subarray(0, length));
    this.respondents.set(respondents.subarray(0, length));
    this.codes.set(codes.subarray(0, length));
  }
}

/** Sum and count of a range of answers. */
interface Tally {
  sum: number;
  count: number;
}

// Cached totals of one chunk of answers.
interface TallyBlock extends Tally {
  readonly people: RespondentSet;
}

/** Looks up the options of a choice. */
type OptionsOf = (choice: number) => readonly number[];

const NO_VALUE = Number.NaN;

/** The answers to one question, with chunk totals that are computed on first use. */
export class AnswerColumn {
  readonly rows = new AnswerRows();
  readonly #codes = new Map<number, number>();
  readonly #choices: number[] = [];
  #scale: Scale | undefined;
  // Value of each code on the current scale; NaN when the code is not an answer.
  #values = new Float64Array(0);
  #chunkLength = 0;
  #chunks: (TallyBlock | undefined)[] = [];

  get bytes(): number {
    return this.rows.bytes + this.#chunks.reduce((sum, chunk) => sum + (chunk?.people.bits.byteLength ?? 0), 0);
  }

  /** Appends an answer that is not earlier than any other. */
  append(submittedUs: number, respondent: number, choice: number): void {
    this.rows.append(submittedUs, respondent, this.#codeOf(choice));
  }

  /**
   * Removes answers, then adds others.
   * @throws when an answer to remove is missing
   */
  change(removed: readonly AnswerRow[], added: readonly AnswerRow[]): void {
    const from = Math.min(this.#remove(removed), this.#insert(added));
    this.#chunks.length = Math.min(this.#chunks.length, this.#chunkLength === 0 ? 0 : Math.floor(from / this.#chunkLength));
  }

  /**
   * Adds up the answers between two microseconds, both inclusive, and adds their respondents to
   * `people`. Totals of whole chunks are cached; only the answers at both ends are read one by one.
   */
  tally(fromUs: number, toUs: number, { scale, optionsOf, people, chunkLength }: TallyOptions): Tally {
    this.#applyScale(scale, optionsOf);
    if (chunkLength !== this.#chunkLength) [this.#chunkLength, this.#chunks] = [chunkLength, []];
    const from = this.rows.firstIndexFrom(fromUs);
    const to = this.rows.firstIndexFrom(toUs + 1);
    const firstChunk = Math.ceil(from / chunkLength);
    const lastChunk = Math.floor(to / chunkLength);
    if (firstChunk >= lastChunk) return addUp(this.rows, this.#values, from, to, people.bits);
    const tally = addUp(this.rows, this.#values, from, firstChunk * chunkLength, people.bits);
    const sets: RespondentSet[] = [];
    for (let index = firstChunk; index < lastChunk; index += 1) {
      const chunk = (this.#chunks[index] ??= this.#addUpChunk(index));
      addTo(tally, chunk);
      sets.push(chunk.people);
    }
    people.addEach(sets);
    addTo(tally, addUp(this.rows, this.#values, lastChunk * chunkLength, to, people.bits));
    return tally;
  }

  #codeOf(choice: number): number {
    const code = this.#codes.get(choice);
    if (code !== undefined) return code;
    this.#codes.set(choice, this.#choices.length);
    return this.#choices.push(choice) - 1;
  }

  #remove(removed: readonly AnswerRow[]): number {
    const indexes = new Set<number>();
    for (const row of removed) {
      const index = this.rows.find(row, this.#codes.get(row.choice) ?? -1, indexes);
      if (index < 0) throw new Error('cannot remove an answer: it is not held');
      indexes.add(index);
    }
    const sorted = [...indexes].sort((a, b) => a - b);
    this.rows.remove(sorted);
    return sorted[0] ?? Infinity;
  }

  #insert(added: readonly AnswerRow[]): number {
    if (added.length === 0) return Infinity;
    const sorted = added.toSorted((a, b) => a.submittedUs - b.submittedUs);
    const codes = sorted.map(({ choice }) => this.#codeOf(choice));
    return this.rows.insert(sorted, codes);
  }

  // A changed question changes the value of its choices, so all totals are discarded. A new choice
  // keeps them.
  #applyScale(scale: Scale, optionsOf: OptionsOf): void {
    if (this.#scale === scale && this.#values.length === this.#choices.length) return;
    if (this.#scale !== scale) this.#chunks = [];
    this.#scale = scale;
    this.#values = Float64Array.from(this.#choices, (choice) => scale.numeratorOf(optionsOf(choice)) ?? NO_VALUE);
  }

  #addUpChunk(index: number): TallyBlock {
    const [from, to] = [index * this.#chunkLength, (index + 1) * this.#chunkLength];
    let last = 0;
    for (let index = from; index < to; index += 1) last = Math.max(last, this.rows.respondents[index] ?? 0);
    const people = new RespondentSet(last + 1);
    return { ...addUp(this.rows, this.#values, from, to, people.bits), people };
  }
}

interface TallyOptions {
  readonly scale: Scale;
  readonly optionsOf: OptionsOf;
  readonly people: RespondentSet;
  readonly chunkLength: number;
}

function addTo(tally: Tally, part: Tally): void {
  tally.sum += part.sum;
  tally.count += part.count;
}

// Hot path: runs once per answer that no cached chunk covers.
function addUp({ respondents, codes }: AnswerRows, values: Float64Array, from: number, to: number, people: Uint32Array): Tally {
  let sum = 0;
  let count = 0;
  for (let place = from; place < to; place += 1) {
    const value = values[codes[place] ?? 0] ?? NO_VALUE;
    // NaN: the question has none of the chosen options.
    if (value !== value) continue;
    sum += value;
    count += 1;
    const respondent = respondents[place] ?? 0;
    const word = respondent >>> 5;
    people[word] = (people[word] ?? 0) | (1 << (respondent & 31));
  }
  return { sum, count };
}
