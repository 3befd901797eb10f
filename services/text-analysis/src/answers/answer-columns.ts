const MIN_CAPACITY = 16;
const GROWTH = 1.25;

/** Answer as stored in the columns. */
export interface ColumnRow {
  readonly sortKey: bigint;
  readonly id: number;
  readonly cycle: number;
  readonly question: number;
  readonly respondent: number;
  readonly optionSet: number;
  readonly block: number;
  readonly state: number;
}

export const BYTES_PER_ANSWER = 33;

/** Column store of answers in the order of their sort keys, BYTES_PER_ANSWER for each. */
export class AnswerColumns {
  length = 0;
  sortKeys = new BigInt64Array(MIN_CAPACITY);
  ids = new Uint32Array(MIN_CAPACITY);
  cycles = new Uint32Array(MIN_CAPACITY);
  // Ordinals of the questions within this account.
  questions = new Uint32Array(MIN_CAPACITY);
  respondents = new Uint32Array(MIN_CAPACITY);
  optionSets = new Int32Array(MIN_CAPACITY);
  // -1: in no block.
  blocks = new Int32Array(MIN_CAPACITY);
  states = new Uint8Array(MIN_CAPACITY);

  get bytes(): number {
    return this.#all().reduce((sum, column) => sum + column.byteLength, 0);
  }

  /** Appends a row. Its sort key must not be lower than any before it. */
  append(row: ColumnRow): void {
    this.#reserve(this.length + 1);
    this.put(this.length, row);
    this.length += 1;
  }

  put(index: number, row: ColumnRow): void {
    this.sortKeys[index] = row.sortKey;
    this.ids[index] = row.id;
    this.cycles[index] = row.cycle;
    this.questions[index] = row.question;
    this.respondents[index] = row.respondent;
    this.optionSets[index] = row.optionSet;
    this.blocks[index] = row.block;
    this.states[index] = row.state;
  }

  /** Returns the index of the answer, or -1 when it is unknown. */
  find(sortKey: bigint, id: number): number {
    for (let index = this.#firstFrom(sortKey); index < this.length && this.sortKeys[index] === sortKey; index += 1) {
      if (this.ids[index] === id) return index;
    }
    return -1;
  }

  /**
   * Inserts rows, which must be sorted by sort key. Works from the end, so each existing row moves
   * once.
   * @throws Error when two rows share a sort key.
   */
  insert(rows: readonly ColumnRow[]): void {
    this.#reserve(this.length + rows.length);
    let end = this.length;
    this.length += rows.length;
    for (let left = rows.length; left > 0; left -= 1) {
      const row = rows[left - 1];
      if (row === undefined) break;
      const sortKey = this.#firstFrom(row.sortKey, end);
      if ((sortKey < end && this.sortKeys[sortKey] === row.sortKey) || rows[left - 2]?.sortKey === row.sortKey) {
        // Happens for one in ten million accounts of two million answers; only the database has
        // their order.
        throw new Error('cannot insert answers: sort key used twice');
      }
      for (const column of this.#all()) column.copyWithin(sortKey + left, sortKey, end);
      this.put(sortKey + left - 1, row);
      end = sortKey;
    }
  }

  /** Frees reserved capacity. */
  trim(): void {
    this.#resize(Math.max(MIN_CAPACITY, this.length));
  }

  #firstFrom(sortKey: bigint, end = this.length): number {
    let low = 0;
    let high = end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.sortKeys[middle] ?? 0n) < sortKey) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #all() {
    const { sortKeys, ids, cycles, questions, respondents, optionSets, blocks, states } = this;
    return [sortKeys, ids, cycles, questions, respondents, optionSets, blocks, states] as const;
  }

  #reserve(length: number): void {
    if (length > this.sortKeys.length) this.#resize(Math.ceil(Math.max(length, MIN_CAPACITY) * GROWTH));
  }

  #resize(capacity: number): void {
    if (capacity === this.sortKeys.length) return;
    const { sortKeys, ids, cycles, questions, respondents, optionSets, blocks, states, length } = this;
    this.sortKeys = new BigInt64Array(capacity);
    this.sortKeys.set(sortKeys.subarray(0, length));
    this.ids = new Uint32Array(capacity);
    this.ids.set(ids.subarray(0, length));
    this.cycles = new Uint32Array(capacity);
    this.cycles.set(cycles.subarray(0, length));
    this.questions = new Uint32Array(capacity);
    this.questions.set(questions.subarray(0, length));
    this.respondents = new Uint32Array(capacity);
    this.respondents.set(respondents.subarray(0, length));
    this.optionSets = new Int32Array(capacity);
    this.optionSets.set(optionSets.subarray(0, length));
    this.blocks = new Int32Array(capacity);
    this.blocks.set(blocks.subarray(0, length));
    this.states = new Uint8Array(capacity);
    this.states.set(states.subarray(0, length));
  }
}
