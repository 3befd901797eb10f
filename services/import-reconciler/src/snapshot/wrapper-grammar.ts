/** States of the splitter within `{"employees":[ … ]}`. */
export type WrapperState =
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
export function expectedIn(state: WrapperState): (typeof EXPECTED)[WrapperState] {
  return EXPECTED[state];
}

/** Returns the state after a punctuation byte; undefined when the byte is not allowed here. */
export function afterPunctuation(state: WrapperState, byte: number): WrapperState | undefined {
  return TRANSITIONS[state][byte];
}

export function isWhiteSpaceIn(state: WrapperState, byte: number): boolean {
  return WHITE_SPACE.has(byte) && state !== 'mark 2' && state !== 'mark 3';
}

export function startsValue(byte: number): boolean {
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
export function typeByFirstByte(byte: number): string {
  return TYPES[String.fromCharCode(byte)] ?? 'a number';
}

function on(character: string, state: WrapperState): Transitions {
  return { [character.charCodeAt(0)]: state };
}
