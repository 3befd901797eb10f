import { NOT_YET, TOO_DEEP, ValueEnd } from './value-end.ts';

const NO_BYTES = Buffer.alloc(0);

type ReadOutcome = 'complete' | 'chunk used up' | 'too deep' | 'too long' | 'too many';

/** Reads consecutive JSON values from chunks. Copies only values that cross a chunk boundary. */
export class ValueReader {
  /** The last value is bytes[start..end), valid until `begin`. */
  bytes: Buffer = NO_BYTES;
  start = 0;
  end = 0;
  /** Index in the chunk at which `read` stopped. */
  next = 0;

  readonly #end: ValueEnd;
  readonly #maxBytes: number;
  readonly #maxNodes: number;
  #isKept = true;
  #carry: Buffer = NO_BYTES;
  #carried = 0;

  /**
   * @param maxDepth nesting levels within one value
   * @param maxBytes length of one value
   * @param maxNodes keys, objects and lists within one value
   */
  constructor(maxDepth: number, maxBytes: number, maxNodes: number) {
    this.#end = new ValueEnd(maxDepth);
    this.#maxBytes = maxBytes;
    this.#maxNodes = maxNodes;
  }

  /** Keys in the value, at every depth, repeated ones included. */
  get keys(): number {
    return this.#end.colons;
  }

  /**
   * @param isKept false when only the end is needed; the value may then have any length and its
   * bytes are unavailable
   */
  begin(firstByte: number, isKept: boolean): void {
    this.#end.begin(firstByte);
    this.#isKept = isKept;
    this.#carried = 0;
  }

  /** Continues the value at chunk[from], up to `next`. */
  read(chunk: Buffer, from: number): ReadOutcome {
    const end = this.#end.find(chunk, from);
    if (end === TOO_DEEP) return 'too deep';
    const isComplete = end !== NOT_YET;
    this.next = isComplete ? end : chunk.length;
    if (this.#isKept) {
      if (this.#carried + this.next - from > this.#maxBytes) return 'too long';
      if (this.#end.colons + this.#end.containers > this.#maxNodes) return 'too many';
      this.#keep(chunk, from, isComplete);
    }
    return isComplete ? 'complete' : 'chunk used up';
  }

  #keep(chunk: Buffer, from: number, isComplete: boolean): void {
    if (isComplete && this.#carried === 0) {
      this.bytes = chunk;
      this.start = from;
      this.end = this.next;
      return;
    }
    const length = this.#carried + this.next - from;
    if (length > this.#carry.length) this.#growCarry(length);
    chunk.copy(this.#carry, this.#carried, from, this.next);
    this.#carried = length;
    this.bytes = this.#carry;
    this.start = 0;
    this.end = length;
  }

  #growCarry(length: number): void {
    const grown = Buffer.allocUnsafe(Math.max(Math.min(2 * this.#carry.length, this.#maxBytes), length, 4096));
    this.#carry.copy(grown, 0, 0, this.#carried);
    this.#carry = grown;
  }
}
