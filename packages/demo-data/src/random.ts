/**
 * Random numbers that depend only on the key. Each generated object has its own key, so it can be
 * generated without earlier ones, and a new object changes no other. sfc32, seeded by a hash of the
 * key.
 */
export class Random {
  readonly #state: Uint32Array;

  constructor(...key: (number | string)[]) {
    this.#state = hash(key.join('/'));
    for (let round = 0; round < 12; round += 1) this.word();
  }

  /** Returns 32 random bits. */
  word(): number {
    const s = this.#state;
    const [a = 0, b = 0, c = 0, d = 0] = s;
    const sum = (a + b + d) >>> 0;
    s[0] = b ^ (b >>> 9);
    s[1] = c + (c << 3);
    s[2] = ((c << 21) | (c >>> 11)) + sum;
    s[3] = d + 1;
    return sum;
  }

  /** Returns a number from 0 to below 1. */
  float(): number {
    return this.word() / 2 ** 32;
  }

  /** Returns an integer from min to max, inclusive. */
  int(min: number, max: number): number {
    return min + Math.floor(this.float() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.float() < probability;
  }

  pick<T>(list: readonly T[]): T {
    const item = list[this.int(0, list.length - 1)];
    if (item === undefined) throw new Error('cannot pick from an empty list');
    return item;
  }

  /** Returns a number around 0; two thirds are within 1. */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.float())) * Math.cos(2 * Math.PI * this.float());
  }

  shuffled<T>(list: readonly T[]): T[] {
    const keyed = list.map((item) => ({ item, at: this.float() }));
    return keyed.sort((one, other) => one.at - other.at).map(({ item }) => item);
  }

  uuid(): string {
    const hex = [0, 0, 0, 0].map(() => this.word().toString(16).padStart(8, '0')).join('');
    const variant = '89ab'[this.int(0, 3)];
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
  }
}

function hash(text: string): Uint32Array {
  const words = Uint32Array.of(1_779_033_703, 3_144_134_277, 1_013_904_242, 2_773_480_762);
  for (let at = 0; at < text.length; at += 1) {
    for (let word = 0; word < 4; word += 1) words[word] = Math.imul((words[word] ?? 0) ^ text.charCodeAt(at), PRIMES[word] ?? 1);
  }
  return words.map((word) => Math.imul(word ^ (word >>> 15), 2_246_822_507));
}

const PRIMES = [597_399_067, 2_869_860_233, 951_274_213, 2_716_044_179];
