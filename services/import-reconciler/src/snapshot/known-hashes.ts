import { LENGTH_LANE } from './content-hash.ts';

const LANES = 4;
const LOAD_MAX = 0.75;
const UINT32_RANGE = 2 ** 32;

/**
 * Maps the content hash of an employee's last applied record to the employee's ordinal, in typed
 * arrays: 25 MB per million employees.
 * Snapshots keep their order, so hashes are stored in insertion order and the successor of the last
 * match is tried first. Open addressing, with its random memory access, is the fallback.
 */
export class KnownHashes {
  size = 0;
  readonly #ords: Int32Array<ArrayBuffer>;
  readonly #lanes: Uint32Array<ArrayBuffer>;
  // Indexes of hashes plus one; 0 is empty.
  readonly #index: Int32Array<ArrayBuffer>;
  #next = 0;

  /** @param max number of entries */
  constructor(max: number) {
    this.#ords = new Int32Array(max);
    this.#lanes = new Uint32Array(max * LANES);
    this.#index = new Int32Array(Math.ceil(max / LOAD_MAX) + 1);
  }

  /**
   * @param ord 0 or more
   * @param bytes holds, from `offset`, a hash as returned by `ElementHasher.toBytes`
   */
  add(ord: number, bytes: Buffer, offset = 0): void {
    if (this.size === this.#ords.length) throw new RangeError('cannot add a hash: the table is full');
    const place = this.size++;
    this.#ords[place] = ord;
    for (let lane = 0; lane < LANES; lane += 1) {
      this.#lanes[place * LANES + lane] = bytes.readUInt32LE(offset + lane * Uint32Array.BYTES_PER_ELEMENT);
    }
    this.#enter(place);
  }

  /**
   * Returns the byte length of the element whose hash follows the last match; 0 when there is none.
   */
  get nextLength(): number {
    return this.#next < this.size ? (this.#lanes[this.#next * LANES + LENGTH_LANE] ?? 0) : 0;
  }

  /** Returns the ordinal stored with the hash, or -1. */
  find(lanes: Uint32Array): number {
    const next = this.findNext(lanes);
    return next >= 0 ? next : this.#found(this.#search(lanes));
  }

  /** Like `find`, but only tries the hash that `nextLength` refers to. */
  findNext(lanes: Uint32Array): number {
    return this.#next < this.size && this.#isAt(this.#next, lanes) ? this.#found(this.#next) : -1;
  }

  /**
   * Deletes all entries and releases their memory at once, without waiting for the garbage
   * collector.
   */
  free(): void {
    for (const { buffer } of [this.#ords, this.#lanes, this.#index]) buffer.transfer(0);
    this.size = 0;
  }

  #found(place: number): number {
    if (place < 0) return -1;
    this.#next = place + 1;
    return this.#ords[place] ?? -1;
  }

  #search(lanes: Uint32Array): number {
    let slot = this.#home(lanes[0]);
    for (;;) {
      const place = (this.#index[slot] ?? 0) - 1;
      if (place < 0 || this.#isAt(place, lanes)) return place;
      slot = this.#following(slot);
    }
  }

  #enter(place: number): void {
    let slot = this.#home(this.#lanes[place * LANES]);
    while (this.#index[slot] !== 0) slot = this.#following(slot);
    this.#index[slot] = place + 1;
  }

  #home(lane = 0): number {
    return Math.floor((lane / UINT32_RANGE) * this.#index.length);
  }

  #following(slot: number): number {
    return slot + 1 === this.#index.length ? 0 : slot + 1;
  }

  #isAt(place: number, lanes: Uint32Array): boolean {
    const at = place * LANES;
    const stored = this.#lanes;
    return stored[at] === lanes[0] && stored[at + 1] === lanes[1] && stored[at + 2] === lanes[2] && stored[at + 3] === lanes[3];
  }
}
