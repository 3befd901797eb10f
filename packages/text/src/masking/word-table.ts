// Set of folded words with a few bits each. It stores two 32-bit hashes per word and no strings:
// 100,000 employees take a few megabytes, and no word can be read from it. The probability of a
// collision is 2^-64.

const FIRST_CAPACITY = 64;
const FULLEST = 0.5;
const WIDTH = 3;

/** Two hashes of a word, computed one folded code unit at a time while a text is read. */
export const HASH_A_START = 0x811c9dc5 | 0;
export const HASH_B_START = 0x9e3779b9 | 0;
export const hashA = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);
export const hashB = (hash: number, unit: number): number => Math.imul((hash << 5) ^ (hash >>> 27) ^ unit, 0x85ebca6b);

export class WordTable {
  #capacity = FIRST_CAPACITY;
  // Three numbers per slot, adjacent in memory: both hashes and the bits. Bits of 0 mark a free
  // slot.
  #slots = new Int32Array(FIRST_CAPACITY * WIDTH);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds `bits` (not 0) to a word, which must be folded. */
  add(folded: string, bits: number): void {
    if (this.#size >= this.#capacity * FULLEST) this.#grow();
    const [a, b] = hashesOf(folded);
    this.#put(a, b, bits);
  }

  /** Returns the bits of a folded word, 0 when it is not in the table. */
  bitsOfWord(folded: string): number {
    // Bounded: a pair.
    return this.bitsOf(...hashesOf(folded));
  }

  /** Returns the bits of the word with these hashes, 0 when it is not in the table. */
  bitsOf(a: number, b: number): number {
    return this.#slots[this.#find(a, b) + 2] ?? 0;
  }

  #put(a: number, b: number, bits: number): void {
    const slot = this.#find(a, b);
    const before = this.#slots[slot + 2] ?? 0;
    if (before === 0) this.#size++;
    this.#slots[slot] = a;
    this.#slots[slot + 1] = b;
    this.#slots[slot + 2] = before | bits;
  }

  // Slot of the word, or the free slot where it would be inserted.
  #find(a: number, b: number): number {
    const slots = this.#slots;
    const mask = this.#capacity - 1;
    let slot = (a ^ (b >>> 15)) & mask;
    while (slots[slot * WIDTH + 2] !== 0 && (slots[slot * WIDTH] !== a || slots[slot * WIDTH + 1] !== b))
      slot = (slot + 1) & mask;
    return slot * WIDTH;
  }

  #grow(): void {
    const before = this.#slots;
    this.#capacity *= 2;
    this.#slots = new Int32Array(this.#capacity * WIDTH);
    this.#size = 0;
    for (let at = 0; at < before.length; at += WIDTH) {
      const bits = before[at + 2] ?? 0;
      if (bits !== 0) this.#put(before[at] ?? 0, before[at + 1] ?? 0, bits);
    }
  }
}

function hashesOf(folded: string): [a: number, b: number] {
  let a = HASH_A_START;
  let b = HASH_B_START;
  for (let at = 0; at < folded.length; at++) {
    const unit = folded.charCodeAt(at);
    a = hashA(a, unit);
    b = hashB(b, unit);
  }
  return [a, b];
}
