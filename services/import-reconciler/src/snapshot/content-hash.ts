import xxhash from 'xxhash-wasm';

export const HASH_BYTES = 16;
export const LENGTH_LANE = 3;

/**
 * Hashes the raw bytes of elements without allocating. `lanes` holds the result until the next
 * call; its last item is the number of bytes, so a hash also determines where its element ends.
 */
export interface ElementHasher {
  readonly lanes: Uint32Array;
  /** The same memory as bytes. */
  readonly bytes: Buffer;
  hash(bytes: Buffer, start: number, end: number): void;
  /** Returns a copy of the current hash for storage, as little-endian numbers. */
  toBytes(): Buffer;
}

let compiled: ReturnType<typeof xxhash> | undefined;

/**
 * Creates the hasher of contents: 96 bits of two xxh64 with seeds from the salt. The salt must
 * change with everything that gives equal bytes another meaning: calendar year, default language,
 * version of the rules.
 * xxh64 is not collision-resistant; a client that crafts its snapshots could only hide its own
 * changes.
 */
export async function createElementHasher(salt: string): Promise<ElementHasher> {
  const xxh = await (compiled ??= xxhash());
  const seeds = [xxh.h64(salt, 0n), xxh.h64(salt, 1n)] as const;
  const words = new BigUint64Array(HASH_BYTES / BigUint64Array.BYTES_PER_ELEMENT);
  const lanes = new Uint32Array(words.buffer);
  return {
    lanes,
    bytes: Buffer.from(words.buffer),
    hash(bytes, start, end) {
      const element = bytes.subarray(start, end);
      words[0] = xxh.h64Raw(element, seeds[0]);
      words[1] = xxh.h64Raw(element, seeds[1]);
      lanes[LENGTH_LANE] = element.length;
    },
    toBytes() {
      const bytes = Buffer.allocUnsafe(HASH_BYTES);
      for (const [lane, word] of lanes.entries()) bytes.writeUInt32LE(word, lane * lanes.BYTES_PER_ELEMENT);
      return bytes;
    },
  };
}

// Increase whenever a change of the rules gives equal bytes another meaning.
const RULES_VERSION = 3;

/**
 * Returns the salt of content hashes: everything besides a record's bytes that determines its
 * effect, which is the year (for buckets), the default language and the rules. After a change, the
 * next import reads every record again.
 */
export function contentSalt(accountSalt: string, acceptedYear: number, defaultLanguage: string): string {
  return `${accountSalt}/${RULES_VERSION}/${acceptedYear}/${defaultLanguage}`;
}

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
