import xxhash from 'xxhash-wasm';

export const HASH_BYTES = 16;
export const LENGTH_LANE = 3;

/**
 * Hashes the raw bytes of elements. The result stands in `lanes` until the next call: nothing is allocated to be kept. The last lane is the number of
 * bytes: who knows a hash knows where its element ends.
 */
export interface ElementHasher {
  readonly lanes: Uint32Array;
  hash(bytes: Buffer, start: number, end: number): void;
  /** A copy of the current hash, for storing: the lanes, little-endian. */
  toBytes(): Buffer;
}

let compiled: ReturnType<typeof xxhash> | undefined;

/**
 * Content hashes: 96 bits of two xxh64 whose seeds come from the salt. The salt must change with everything that changes what equal bytes
 * mean: calendar year, default language, version of the rules.
 *
 * xxh64 does not resist someone who looks for collisions. Whoever writes an account's snapshots could only hide a change from himself.
 */
export async function createElementHasher(salt: string): Promise<ElementHasher> {
  const xxh = await (compiled ??= xxhash());
  const seeds = [xxh.h64(salt, 0n), xxh.h64(salt, 1n)] as const;
  const words = new BigUint64Array(HASH_BYTES / BigUint64Array.BYTES_PER_ELEMENT);
  const lanes = new Uint32Array(words.buffer);
  return {
    lanes,
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
