/** A text as the rules read it, with the offset of each of its code units in the original. */
interface PlainText {
  readonly text: string;
  /** Returns the offsets in the original of a range of this text. */
  readonly rangeOf: (start: number, end: number) => { readonly start: number; readonly end: number };
}

// Invisible characters, spaces and line breaks of any kind, full-width and mathematical letters,
// and letters of other scripts.
const CHANGED =
  /\p{Cf}+|(?! )[\p{Zs}\t]|[\u0085\u2028\u2029]|[\uff01-\uff5e]|[\u{1d400}-\u{1d7ff}]|[\p{Script=Cyrillic}\p{Script=Greek}]/gu;
const ANY = new RegExp(CHANGED, 'u');
const NEAR = 64;

// Letters of other scripts that look like a Latin one.
const LOOKALIKES = new Map(
  'аеорсухіјАВЕКМНОРСТХІЈοαΑΒΕΖΗΙΚΜΝΟΡΤΥΧ'
    .split('')
    .map((letter, at) => [letter, 'aeopcyxijABEKMHOPCTXIJoaABEZHIKMNOPTYX'[at] ?? letter]),
);

/**
 * Returns the text without spellings that hide personal data from the rules, undefined when it has
 * none: every space is a plain one, invisible characters are removed, and lookalikes in Latin words
 * are Latin letters. Linear.
 */
export function plainTextOf(original: string): PlainText | undefined {
  if (!ANY.test(original)) return undefined;
  let text = '';
  const starts: number[] = [];
  const ends: number[] = [];
  const copy = (to: number, from: number): void => {
    for (let at = from; at < to; at++) {
      starts.push(at);
      ends.push(at + 1);
    }
    text += original.slice(from, to);
  };
  let done = 0;
  for (const { 0: found, index } of original.matchAll(CHANGED)) {
    copy(index, done);
    done = index + found.length;
    const plain = plainOf(found, original, index);
    for (let at = 0; at < plain.length; at++) {
      starts.push(index);
      ends.push(done);
    }
    text += plain;
  }
  copy(original.length, done);
  return { text, rangeOf: (start, end) => ({ start: starts[start] ?? original.length, end: ends[end - 1] ?? original.length }) };
}

function plainOf(found: string, text: string, start: number): string {
  if (/\p{Cf}/u.test(found)) return '';
  if (/[\u0085\u2028\u2029]/u.test(found)) return '\n';
  if (/\s/u.test(found)) return ' ';
  const lookalike = LOOKALIKES.get(found);
  if (lookalike !== undefined) return isInLatinWord(text, start) ? lookalike : found;
  return found.normalize('NFKC');
}

// A word wholly in another script stays as it is.
function isInLatinWord(text: string, at: number): boolean {
  const [before = ''] = /[\p{L}\p{M}\p{Cf}]*$/u.exec(text.slice(Math.max(0, at - NEAR), at)) ?? [];
  const [after = ''] = /^[\p{L}\p{M}\p{Cf}]*/u.exec(text.slice(at + 1, at + NEAR)) ?? [];
  return /\p{Script=Latin}/u.test(before + after);
}
