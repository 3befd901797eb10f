import type { ElementHasher } from './element-hasher.ts';

const NOTHING = Buffer.alloc(0);

/**
 * Digest of employees' positions and content hashes, in any order. If the records of a snapshot
 * have the same digest as the managed employees, the snapshot leaves every employee unchanged.
 */
export class ContentDigest {
  size = 0;
  // Each sum wraps around.
  readonly #sums: Uint32Array;

  /** The digest depends on the hasher's salt. Changes the hasher's result. */
  constructor(hasher: ElementHasher) {
    hasher.hash(NOTHING, 0, 0);
    this.#sums = hasher.lanes.slice();
  }

  /** @param hash holds, from `offset`, the employee's content hash; absent: there is none */
  add(position: number, hash?: Buffer, offset = 0): void {
    this.size += 1;
    for (let word = 0; word < this.#sums.length; word += 1) {
      const part = hash?.readUInt32LE(offset + word * Uint32Array.BYTES_PER_ELEMENT) ?? 0;
      this.#sums[word] = (this.#sums[word] ?? 0) + (part ^ position);
    }
  }

  toBytes(): Buffer {
    // Bounded: the lanes of a hash.
    return Buffer.from(Uint32Array.of(this.size, ...this.#sums).buffer);
  }
}
