import { type FieldErrorList, pointer, UnreadableSnapshotError } from './field-errors.ts';
import { parseJson } from './parse-json.ts';
import { ValueReader } from './value-reader.ts';

/** States of the splitter within `{"employees":[ … ]}`. */
type WrapperState =
  | 'start'
  | 'mark 2'
  | 'mark 3'
  | 'body'
  | 'first key'
  | 'key'
  | 'colon'
  | 'value'
  | 'after value'
  | 'first element'
  | 'element'
  | 'after element'
  | 'end';

type Transitions = Partial<Record<number, WrapperState>>;

const SPACE: Transitions = { 0x20: 'body', 0x09: 'body', 0x0a: 'body', 0x0d: 'body' };

// Punctuation only; the state determines whether another byte begins a key or a value.
const TRANSITIONS: Record<WrapperState, Transitions> = {
  // The byte order mark EF BB BF is only allowed at the start (rule IMPORT-REQUEST-JSON-1).
  start: { ...SPACE, 0xef: 'mark 2', ...on('{', 'first key') },
  'mark 2': { 0xbb: 'mark 3' },
  'mark 3': { 0xbf: 'body' },
  body: on('{', 'first key'),
  'first key': on('}', 'end'),
  key: {},
  colon: on(':', 'value'),
  value: {},
  'after value': { ...on(',', 'key'), ...on('}', 'end') },
  'first element': on(']', 'after value'),
  element: {},
  'after element': { ...on(',', 'element'), ...on(']', 'after value') },
  end: {},
};

const WHITE_SPACE = new Set(Buffer.from(' \t\n\r'));
const STARTS_VALUE = new Set(Buffer.from('{["-0123456789tfn'));

const EXPECTED: Partial<Record<WrapperState, 'body' | 'key' | 'property' | 'element'>> = {
  start: 'body',
  body: 'body',
  'first key': 'key',
  key: 'key',
  value: 'property',
  'first element': 'element',
  element: 'element',
};

/** Returns which token must begin in this state, if any. */
function expectedIn(state: WrapperState): (typeof EXPECTED)[WrapperState] {
  return EXPECTED[state];
}

/** Returns the state after a punctuation byte; undefined when the byte is not allowed here. */
function afterPunctuation(state: WrapperState, byte: number): WrapperState | undefined {
  return TRANSITIONS[state][byte];
}

function isWhiteSpaceIn(state: WrapperState, byte: number): boolean {
  return WHITE_SPACE.has(byte) && state !== 'mark 2' && state !== 'mark 3';
}

function startsValue(byte: number): boolean {
  return STARTS_VALUE.has(byte);
}

const TYPES: Partial<Record<string, string>> = {
  '{': 'an object',
  '[': 'an array',
  '"': 'a string',
  t: 'a boolean',
  f: 'a boolean',
  n: 'null',
};

/** Returns the JSON type of a value with its article, based on its first byte. */
function typeByFirstByte(byte: number): string {
  return TYPES[String.fromCharCode(byte)] ?? 'a number';
}

function on(character: string, state: WrapperState): Transitions {
  return { [character.charCodeAt(0)]: state };
}

export interface SplitLimits {
  /** Maximum JSON bytes of one employee. */
  elementBytes: number;
  /** Maximum keys, objects and lists of one employee. */
  elementNodes: number;
  /**
   * Maximum nesting levels of the whole body; the contract's deepest object, a grant's `attribute`,
   * is on the seventh.
   */
  depth: number;
}

/**
 * Returns the end of the element at chunk[from] when its bytes are known and end in the chunk;
 * otherwise 0.
 */
type Recognise = (chunk: Buffer, from: number, index: number) => number;

type Token = 'key' | 'element' | 'rejected value';

const STATE_AFTER: Record<Token, WrapperState> = { key: 'colon', element: 'after element', 'rejected value': 'after value' };
const QUOTE = 0x22;
const OPEN_BRACKET = 0x5b;

/**
 * Splits the body `{"employees":[ … ]}` into elements without parsing it as a whole. Feed a chunk,
 * call `next` until it returns false, feed the next chunk, and call `finish` after the last; chunks
 * may be cut anywhere.
 * Checks the wrapper strictly (rules IMPORT-REQUEST-SHAPE-1, IMPORT-REQUEST-JSON-1 and
 * IMPORT-REQUEST-JSON-3). A wrong property is a field error and reading continues. Elements may
 * have any type; their parser checks it.
 * @throws UnreadableSnapshotError when the rest cannot be read
 */
export class SnapshotSplitter {
  /** Zero-based index of the current element; -1 before the first. */
  index = -1;
  /** Offset of the current element's first byte in the body. */
  offset = 0;
  /** The current element: its bytes[start..end), valid until the next call of `next`. */
  readonly element: Readonly<Pick<ValueReader, 'bytes' | 'start' | 'end' | 'keys'>>;

  readonly #reader: ValueReader;
  readonly #limits: SplitLimits;
  readonly #findings: FieldErrorList;
  #chunk: Buffer = Buffer.alloc(0);
  // The owner of a chunk may free it before the next one comes; its length is then 0.
  #chunkBytes = 0;
  #at = 0;
  #bytesBeforeChunk = 0;
  #state: WrapperState = 'start';
  #token: Token | undefined;
  #key = '';
  #employees: 'missing' | 'list' | 'other' = 'missing';
  readonly #recognise: Recognise | undefined;

  /** @param recognise recognised elements are skipped: `next` does not stop at them */
  constructor(limits: SplitLimits, findings: FieldErrorList, recognise?: Recognise) {
    this.#limits = limits;
    this.#findings = findings;
    this.#recognise = recognise;
    // The wrapper accounts for two levels.
    this.#reader = new ValueReader(limits.depth - 2, limits.elementBytes, limits.elementNodes);
    this.element = this.#reader;
  }

  feed(chunk: Buffer): void {
    this.#bytesBeforeChunk += this.#chunkBytes;
    this.#chunk = chunk;
    this.#chunkBytes = chunk.length;
    this.#at = 0;
  }

  /** Moves to the next element; returns false when no further element ends in this chunk. */
  next(): boolean {
    while (this.#at < this.#chunk.length) {
      if (this.#token === undefined) this.#step(this.#chunk[this.#at] ?? 0);
      else if (this.#readOn(this.#token)) return true;
    }
    return false;
  }

  /** Checks after the last chunk that the body is complete and has at least one employee. */
  finish(): void {
    const length = this.#bytesBeforeChunk + this.#chunkBytes;
    if (this.#state === 'start' || this.#state === 'body') throw unreadable('', 'the body is empty');
    if (this.#state !== 'end') throw unreadable('', `invalid JSON: the body ends too early, at byte offset ${length}`);
    if (this.#employees === 'missing') this.#findings.add('/employees', 'is required');
    if (this.#employees === 'list' && this.index < 0) this.#findings.add('/employees', 'must have at least one employee');
  }

  #step(byte: number): void {
    const next = afterPunctuation(this.#state, byte);
    if (next !== undefined) this.#state = next;
    else if (!isWhiteSpaceIn(this.#state, byte)) return this.#beginToken(byte);
    this.#at += 1;
  }

  #beginToken(byte: number): void {
    const expected = expectedIn(this.#state);
    if (!startsValue(byte) || expected === undefined) throw this.#unexpected();
    if (expected === 'body') throw unreadable('', `must be an object with the property employees, not ${typeByFirstByte(byte)}`);
    if (expected === 'property') return this.#beginProperty(byte);
    if (expected === 'key' && byte !== QUOTE) throw this.#unexpected();
    if (expected === 'element' && this.#skipKnownElement()) return;
    this.#begin(expected, byte);
  }

  #skipKnownElement(): boolean {
    this.index += 1;
    const end = this.#recognise?.(this.#chunk, this.#at, this.index) ?? 0;
    if (end === 0) return false;
    this.#at = end;
    this.#state = STATE_AFTER.element;
    return true;
  }

  #beginProperty(byte: number): void {
    if (this.#key !== 'employees') return this.#reject('unknown property', byte);
    if (this.#employees !== 'missing') return this.#reject('must appear only once', byte);
    this.#employees = byte === OPEN_BRACKET ? 'list' : 'other';
    if (byte !== OPEN_BRACKET) return this.#reject(`must be an array, not ${typeByFirstByte(byte)}`, byte);
    this.#state = 'first element';
    this.#at += 1;
  }

  #reject(detail: string, firstByte: number): void {
    this.#findings.add([this.#key], detail);
    this.#begin('rejected value', firstByte);
  }

  #begin(token: Token, firstByte: number): void {
    this.#token = token;
    this.offset = this.#bytesBeforeChunk + this.#at;
    // A rejected value may have any size: the body is rejected anyway, so only the end of the value
    // matters.
    this.#reader.begin(firstByte, token !== 'rejected value');
  }

  /** @returns true when an element is complete */
  #readOn(token: Token): boolean {
    const outcome = this.#reader.read(this.#chunk, this.#at);
    if (outcome === 'too deep') throw unreadable(this.#pointerOf(token), `nested deeper than ${this.#limits.depth} levels`);
    if (outcome === 'too long') throw unreadable(this.#pointerOf(token), `longer than ${this.#limits.elementBytes} bytes`);
    if (outcome === 'too many')
      throw unreadable(this.#pointerOf(token), `more than ${this.#limits.elementNodes} keys, objects and lists`);
    this.#at = this.#reader.next;
    if (outcome === 'chunk used up') return false;
    this.#token = undefined;
    this.#state = STATE_AFTER[token];
    if (token === 'key') this.#key = this.#readKey();
    return token === 'element';
  }

  #readKey(): string {
    const { bytes, start, end } = this.#reader;
    return String(parseJson(bytes, start, end, '', this.offset).value);
  }

  #pointerOf(token: Token): string {
    if (token === 'key') return '';
    return pointer(token === 'element' ? ['employees', this.index] : [this.#key]);
  }

  #unexpected(): UnreadableSnapshotError {
    const at = this.#bytesBeforeChunk + this.#at;
    const foreign = foreignForm(this.#chunk[this.#at], at);
    if (foreign !== undefined) return unreadable('', foreign);
    const where = this.#state === 'end' ? ' after the end of the body' : '';
    return unreadable('', `invalid JSON: unexpected character${where} at byte offset ${at}`);
  }
}

// Recognises first bytes of gzip and UTF-16.
function foreignForm(byte: number | undefined, at: number): string | undefined {
  if (at === 0 && byte === 0x1f) return 'must be sent with Content-Encoding: gzip when it is gzip';
  if ((at === 0 && (byte === 0xff || byte === 0xfe)) || (at <= 1 && byte === 0)) return 'must be UTF-8, not UTF-16';
  return undefined;
}

function unreadable(at: string, detail: string): UnreadableSnapshotError {
  return new UnreadableSnapshotError({ pointer: at, detail });
}
