import { HASH_BYTES } from './hash.ts';

const LANES = 4;
const EMPTY = -1;
const LOAD_MAX = 0.75;
const UINT32_RANGE = 2 ** 32;

/**
 * From the content hash of an employee's last applied record to the employee's ordinal: open addressing in typed arrays, 20 bytes a
 * slot, so 27 MB per million employees when the number is known beforehand.
 */
export class KnownHashes {
  size = 0;
  #ords: Int32Array<ArrayBuffer>;
  #lanes: Uint32Array<ArrayBuffer>;
  readonly #scratchBytes = Buffer.alloc(HASH_BYTES);
  readonly #scratch = new Uint32Array(this.#scratchBytes.buffer, this.#scratchBytes.byteOffset, LANES);

  /** @param expected number of entries; more may be added, at the price of a rebuild */
  constructor(expected = 0) {
    const slots = Math.max(16, Math.ceil(expected / LOAD_MAX) + 1);
    this.#ords = new Int32Array(slots).fill(EMPTY);
    this.#lanes = new Uint32Array(slots * LANES);
  }

  /** Slots are 0 to slots - 1: the length of an array that marks what was seen. They change when entries are added. */
  get slots(): number {
    return this.#ords.length;
  }

  /** @param ord 0 or more @param bytes holds, from `offset`, a hash as `ElementHasher.toBytes` gave it */
  add(ord: number, bytes: Buffer, offset = 0): void {
    bytes.copy(this.#scratchBytes, 0, offset, offset + HASH_BYTES);
    if (this.size + 1 > this.slots * LOAD_MAX) this.#grow();
    this.#put(ord, this.#scratch, 0);
    this.size += 1;
  }

  /** The slot of the hash, or -1. */
  probe(lanes: Uint32Array): number {
    let slot = this.#home(lanes, 0);
    while (this.#ords[slot] !== EMPTY && !this.#isAt(slot, lanes)) slot = this.#following(slot);
    return this.#ords[slot] === EMPTY ? -1 : slot;
  }

  /** The ordinal in a slot, or -1 when the slot is empty. */
  ordAt(slot: number): number {
    return this.#ords[slot] ?? EMPTY;
  }

  /** Forgets all entries and gives their memory back at once: the garbage collector would keep it for as long as it likes. */
  free(): void {
    this.size = 0;
    this.#ords.buffer.transfer(0);
    this.#lanes.buffer.transfer(0);
    this.#ords = new Int32Array(1).fill(EMPTY);
    this.#lanes = new Uint32Array(LANES);
  }

  #home(lanes: Uint32Array, from: number): number {
    return Math.floor(((lanes[from] ?? 0) / UINT32_RANGE) * this.#ords.length);
  }

  #following(slot: number): number {
    return slot + 1 === this.#ords.length ? 0 : slot + 1;
  }

  #isAt(slot: number, lanes: Uint32Array): boolean {
    const at = slot * LANES;
    const own = this.#lanes;
    return own[at] === lanes[0] && own[at + 1] === lanes[1] && own[at + 2] === lanes[2] && own[at + 3] === lanes[3];
  }

  #put(ord: number, lanes: Uint32Array, from: number): void {
    let slot = this.#home(lanes, from);
    while (this.#ords[slot] !== EMPTY) slot = this.#following(slot);
    this.#ords[slot] = ord;
    for (let lane = 0; lane < LANES; lane += 1) this.#lanes[slot * LANES + lane] = lanes[from + lane] ?? 0;
  }

  #grow(): void {
    const ords = this.#ords;
    const lanes = this.#lanes;
    this.#ords = new Int32Array(ords.length * 2).fill(EMPTY);
    this.#lanes = new Uint32Array(ords.length * 2 * LANES);
    for (const [slot, ord] of ords.entries()) if (ord !== EMPTY) this.#put(ord, lanes, slot * LANES);
  }
}
