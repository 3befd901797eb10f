const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** The chunk ended before the value: call `find` again with the next chunk, from 0. */
export const NOT_YET = -1;
export const TOO_DEEP = -2;

// Bytes that cannot be part of a number, true, false or null.
const ENDS_LITERAL = new Set(Buffer.from(' \t\n\r,:"{}[]'));

/**
 * Finds the end of one JSON value over any number of chunks. It only knows strings, escapes and
 * nesting; invalid JSON such as `{"a":]}` passes, so the bytes must still be parsed.
 */
export class ValueEnd {
  /** Colons outside strings in the value so far, which is the number of its keys at every depth. */
  colons = 0;
  /** Objects and lists in the value so far. */
  containers = 0;
  readonly #maxDepth: number;
  #depth = 0;
  #inString = false;
  #isLiteral = false;
  #overshoot = 0;

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth;
  }

  /** Starts a value at its first byte, which `find` reads again. */
  begin(firstByte: number): void {
    this.colons = 0;
    this.containers = 0;
    this.#depth = 0;
    this.#inString = false;
    this.#overshoot = 0;
    this.#isLiteral = firstByte !== QUOTE && firstByte !== OPEN_BRACE && firstByte !== OPEN_BRACKET;
  }

  /** @returns the index after the value's last byte, NOT_YET or TOO_DEEP */
  find(bytes: Buffer, from: number): number {
    return this.#isLiteral ? literalEnd(bytes, from) : this.#nestedEnd(bytes, from);
  }

  // Hot path: runs for every byte of the body, so it is one function with local state. A single
  // read at bytes[length] makes it four times slower, because V8 then compiles every read with an
  // out-of-bounds check.
  #nestedEnd(bytes: Buffer, from: number): number {
    const length = bytes.length;
    let at = from + this.#overshoot;
    let depth = this.#depth;
    let inString = this.#inString;
    let byte: number | undefined;
    while (at < length) {
      if (inString) {
        while (at < length && (byte = bytes[at]) !== QUOTE && byte !== BACKSLASH) at += 1;
        if (at >= length) break;
        if (byte === BACKSLASH) {
          at += 2;
          continue;
        }
        inString = false;
        at += 1;
        if (depth === 0) return at;
        continue;
      }
      byte = bytes[at];
      at += 1;
      if (byte === QUOTE) inString = true;
      else if (byte === COLON) this.colons += 1;
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        depth += 1;
        this.containers += 1;
        if (depth > this.#maxDepth) return TOO_DEEP;
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        depth -= 1;
        if (depth === 0) return at;
      }
    }
    // 1 when the chunk ends inside an escape, whose second byte is the first of the next chunk.
    this.#overshoot = at - length;
    this.#depth = depth;
    this.#inString = inString;
    return NOT_YET;
  }
}

function literalEnd(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at += 1) if (ENDS_LITERAL.has(bytes[at] ?? 0)) return at;
  return NOT_YET;
}

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
