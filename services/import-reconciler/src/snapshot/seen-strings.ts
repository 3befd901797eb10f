const LOAD_MAX = 0.75;
const LOW_RANGE = 2 ** 32;
const HIGH_BITS = 0x1f_ffff;

/**
 * Notices strings that were added before, in about 16 bytes per string. Different strings may have
 * the same hash (probability 2^-53 per pair): only the absence of repetitions is certain.
 */
export class SeenStrings {
  mayRepeat = false;
  // Hashes plus one; 0 is empty.
  #slots = new Float64Array(64);
  #size = 0;

  get any(): boolean {
    return this.#size > 0;
  }

  add(text: string): void {
    if (this.#size >= this.#slots.length * LOAD_MAX) this.#grow();
    this.#enter(hashOf(text) + 1);
  }

  #enter(entry: number): void {
    let slot = entry % this.#slots.length;
    for (; this.#slots[slot] !== 0; slot = (slot + 1) % this.#slots.length)
      if (this.#slots[slot] === entry) {
        this.mayRepeat = true;
        return;
      }
    this.#slots[slot] = entry;
    this.#size += 1;
  }

  #grow(): void {
    const entries = this.#slots;
    this.#slots = new Float64Array(2 * entries.length);
    this.#size = 0;
    for (const entry of entries) if (entry !== 0) this.#enter(entry);
  }
}

// 53 bits of two multiplicative hashes.
function hashOf(text: string): number {
  let [low, high] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x9e3779b1);
    high = Math.imul(high ^ unit, 0x5f356495);
  }
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  return LOW_RANGE * (high & HIGH_BITS) + (low >>> 0);
}
