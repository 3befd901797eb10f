import { decodeHTML } from 'entities';

// The one reading of a text. Masking, topics, sentiment, language detection, keywords, the roster,
// allowed names and erasure read what `normalise` returns, so that every spelling of a text that
// Unicode or HTML calls the same gets the same results. The released text remains the submitted
// one: masks are put where `rangeOf` says.

/** A letter of Hawaiian names, which most people type as an apostrophe. */
export const OKINA = '\u02bb';

/** A text as the rules read it, and where its parts are in the original. */
interface NormalText {
  readonly text: string;
  /** Returns the offsets in the original of a range of this text. */
  readonly rangeOf: (start: number, end: number) => { readonly start: number; readonly end: number };
}

interface Step {
  readonly pattern: RegExp;
  readonly replace: (match: string, text: string, index: number) => string;
}

// What most texts do not have, so that they are normal.
const SPECIAL =
  /[^\n !-%'-~\u00a1-\u00a7\u00ab\u00b0\u00ba-\u0131\u0134-\u013e\u0141-\u0148\u014a-\u017e\u2013\u2014\u2018-\u201e\u2022\u20ac]|-\n|[aeiou]['\u2019][aeiou]/i;
const NEAR = 64;
const LONGEST_PLAIN = 6;
const WORDS_AFTER_HYPHEN = 'and|or|und|oder|bzw|et|ou|y|o|e|u|en|of|og|och|eller';

// Each step reads the result of the step before, so an entity such as `e&#769;` is already an `e`
// with a combining accent when accents are read.
const STEPS: readonly Step[] = [
  { pattern: /&(?:#[xX]?[0-9a-fA-F]{1,8}|[a-zA-Z][a-zA-Z0-9]{1,31});?/g, replace: (match) => decodeHTML(match) },
  // Invisible characters, except for soft hyphens, which the next step needs to join lines.
  { pattern: /(?:(?!\u00ad)[\p{Cf}\p{Default_Ignorable_Code_Point}])+/gu, replace: () => '' },
  // A word or number that a line ends in. `Müller-` before a capital keeps its hyphen.
  {
    pattern: new RegExp(
      `(?<=[\\p{L}\\p{M}\\p{Nd}])[-\\u00ad\\u2010\\u2011]\\r?\\n[ \\t]*(?=[\\p{L}\\p{Nd}])(?!(?:${WORDS_AFTER_HYPHEN})(?!\\p{L}))|\\u00ad`,
      'gu',
    ),
    replace: (match, text, index) => (match.startsWith('\u00ad') || /^\p{Ll}/u.test(text.slice(index + match.length)) ? '' : '-'),
  },
  // Letters with their accents, syllables of Hangul, and every character with a plainer form.
  { pattern: new RegExp(`\\P{M}\\p{M}+|\\r\\n?|[\\u1100-\\u11ff]+|${charactersWithPlainForm()}`, 'gu'), replace: plainOf },
  // Between vowels, the okina is a letter, however it is typed: Ka'imi, but not Qu'on or O'Ahern.
  {
    pattern: /(?<=(?<!q)[aeiouāēīōū])['\u2019](?=[aeiouāēīōū])/giu,
    replace: (match, text, index) => (/\p{Lu}/u.test(text[index + 1] ?? '') ? match : OKINA),
  },
  // Letters of other scripts that look like Latin ones, in a Latin word.
  {
    pattern: /[аеорсухіјАВЕКМНОРСТХІЈοαΑΒΕΖΗΙΚΜΝΟΡΤΥΧ]/gu,
    replace: (match, text, index) => (isInLatinWord(text, index) ? (LOOKALIKES.get(match) ?? match) : match),
  },
];

const LOOKALIKES = new Map(
  'аеорсухіјАВЕКМНОРСТХІЈοαΑΒΕΖΗΙΚΜΝΟΡΤΥΧ'
    .split('')
    .map((letter, at) => [letter, 'aeopcyxijABEKMHOPCTXIJoaABEZHIKMNOPTYX'[at] ?? letter]),
);

let last: NormalText & { readonly original: string } = { original: '', ...unchanged('') };

/**
 * Returns the text composed, with plain letters, digits, spaces and hyphens, without characters
 * that are not seen, with HTML's entities decoded and the hyphens of line ends removed. Linear. The
 * last result is cached, because the stages of one answer follow each other.
 */
export function normalise(original: string): NormalText {
  if (original !== last.original) {
    const normal = SPECIAL.test(original) ? STEPS.reduce(rewrite, unchanged(original)) : unchanged(original);
    last = { original, ...normal };
  }
  return last;
}

function unchanged(text: string): NormalText {
  return { text, rangeOf: (start, end) => ({ start, end }) };
}

function rewrite(before: NormalText, { pattern, replace }: Step): NormalText {
  let text = '';
  let done = 0;
  const starts: number[] = [];
  const ends: number[] = [];
  const write = (plain: string, start: number, length: number): void => {
    for (let at = 0; at < plain.length; at++) {
      // What is replaced is one place, and what is copied is one for each unit.
      const place = length === plain.length ? start + at : start;
      starts.push(place);
      ends.push(length === plain.length ? place + 1 : start + length);
    }
    text += plain;
    done = start + length;
  };
  for (const { 0: match, index } of before.text.matchAll(pattern)) {
    const plain = replace(match, before.text, index);
    if (plain === match) continue;
    write(before.text.slice(done, index), done, index - done);
    write(plain, index, match.length);
  }
  if (done === 0) return before;
  write(before.text.slice(done), done, before.text.length - done);
  return {
    text,
    rangeOf: (start, end) => {
      const to = ends[end - 1] ?? done;
      return before.rangeOf(Math.min(starts[start] ?? done, to), to);
    },
  };
}

// NFKC, but for signs such as ² and ½, which are not part of a number, and for n.º and ª.
function plainOf(match: string): string {
  if (/^[\r\u0085\u2028\u2029]/u.test(match)) return '\n';
  if (/^\s$/u.test(match)) return ' ';
  if (/^[\u2010-\u2012\u2212]$/u.test(match)) return '-';
  if (/^[\u00b4\u02b9-\u02bf\u2032]$/u.test(match)) return '\u2019';
  if (/^[\p{No}\p{Sk}\u00aa\u00ba]$/u.test(match)) return match;
  const plain = match.normalize('NFKC').replaceAll(/(?![0-9])\p{Nd}/gu, digitOf);
  // One sign for a whole sentence, such as ﷺ, would make a long text eighteen times as long.
  return plain.length > LONGEST_PLAIN * match.length ? match : plain;
}

// The digits of a script follow each other, from zero.
function digitOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (/^\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return String((code - zero) % 10);
}

// Pattern of the characters that plainOf changes.
function charactersWithPlainForm(): string {
  let ranges = '';
  for (let first = 0x80; first < 0x10000; first++) {
    let after = first;
    while (
      after < 0x10000 &&
      (after < 0xd800 || after > 0xdfff) &&
      plainOf(String.fromCharCode(after)) !== String.fromCharCode(after)
    )
      after++;
    if (after > first) ranges += `\\u{${first.toString(16)}}-\\u{${(after - 1).toString(16)}}`;
    first = after;
  }
  return `[\\t${ranges}\\u{1d400}-\\u{1d7ff}]|(?![0-9])\\p{Nd}`;
}

// A word that is entirely in another script is unchanged.
function isInLatinWord(text: string, at: number): boolean {
  const [before = ''] = /[\p{L}\p{M}]*$/u.exec(text.slice(Math.max(0, at - NEAR), at)) ?? [];
  const [after = ''] = /^[\p{L}\p{M}]*/u.exec(text.slice(at + 1, at + NEAR)) ?? [];
  return /\p{Script=Latin}/u.test(before + after);
}
