import type { AnswerRow } from './account-snapshot.ts';

const MIN_CAPACITY = 16;
const GROWTH = 1.25;

/** The answers to one question, sorted by time: 16 bytes per answer. */
export class AnswerRows {
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
  remove(places: readonly number[]): void {
    for (const [nth, index] of places.entries()) this.#move(index + 1, places[nth + 1] ?? this.length, index - nth);
    this.length -= places.length;
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
