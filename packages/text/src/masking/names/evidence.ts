import { fold } from '../letters.ts';
import { isToken } from '../mask-text.ts';
import type { AnswerToMask } from '../masker.ts';
import { CAPITAL, GAP_BREAK, readWords, SHOUTED, type Words } from '../words.ts';
import { cuesOf } from './cue-words.ts';
import { commonBits, GENITIVE, KNOWN_FIRST, LAST, nameLists } from './name-lists.ts';

/**
 * Facts about the words of a text, before any rule is applied. Valid until the next text is read.
 */
export interface Evidence {
  readonly text: string;
  readonly words: Readonly<Words>;
  // Bits by word index: name-lists.ts, cue-words.ts, roster.ts.
  readonly lists: Uint32Array;
  readonly cues: Uint32Array;
  readonly roster: Uint8Array;
  // List bits that make a word common in this language.
  readonly common: number;
  // Whether a capital indicates a name: not in text with no capitals or mostly capitals.
  readonly capitalsTell: boolean;
  // Text without any capital, but for abbreviations.
  readonly allSmall: boolean;
  // German capitalises every noun.
  readonly german: boolean;
}

const SHOUTED_SHARE = 0.5;
const HEADLINE_SHARE = 0.6;
const LONGEST_ABBREVIATION = 3;
// A short text has few words besides its names: only capitals within sentences count.
const SHORT = 8;
const SHORT_HEADLINE_SHARE = 0.7;
const TOO_FEW_TO_TELL = 5;

let lists = new Uint32Array(512);
let cues = new Uint32Array(512);
let roster = new Uint8Array(512);

// Endings of names in other cases, with those of the name: Annegrets, bez Magdy, dzięki kasi. With
// an s, words in lower case are plurals.
const WITH_S = [['s', '']] as const;
const ENDINGS: Readonly<Record<string, readonly (readonly [inflected: string, base: string])[]>> = {
  en: WITH_S,
  de: WITH_S,
  nl: WITH_S,
  da: WITH_S,
  sv: WITH_S,
  pl: [
    ['y', 'a'],
    ['i', 'a'],
    ['i', 'ia'],
    ['e', 'a'],
    ['ie', 'a'],
    ['a', ''],
    ['em', ''],
    ['iem', ''],
    ['owi', ''],
    ['ka', 'ek'],
    ['kowi', 'ek'],
    ['kiem', 'ek'],
  ],
};
const SHORTEST_BASE = 3;

function basesOf(word: string, language: string): readonly string[] {
  const folded = fold(word);
  return (ENDINGS[language] ?? [])
    .filter(([ending, { length }]) => folded.endsWith(ending) && folded.length - ending.length + length >= SHORTEST_BASE)
    .map(([ending, base]) => folded.slice(0, -ending.length) + base);
}

export function readEvidence({ text, language, roster: people }: AnswerToMask): Evidence {
  const words = readWords(text);
  makeRoom(words.count);
  const table = cuesOf(language);
  const isMasked = text.includes('[');
  const isPolish = language === 'pl';
  let capitals = 0;
  // Capitals within a sentence, without abbreviations.
  let inner = 0;
  let shouted = 0;
  let others = 0;
  for (let at = 0; at < words.count; at++) {
    const a = words.a[at] ?? 0;
    const b = words.b[at] ?? 0;
    // Tokens are not evidence. [NAME] counts as a capitalised word, other tokens do not count as
    // words.
    const token = isMasked && isToken(text, words.start[at] ?? 0, words.end[at] ?? 0);
    let [inLists, inRoster] = token ? [0, 0] : [nameLists.bitsOf(a, b), people.bitsOf(a, b)];
    if (!token && (inLists & ~LAST) === 0 && inRoster === 0 && (isPolish || ((words.shape[at] ?? 0) & CAPITAL) !== 0)) {
      for (const base of basesOf(text.slice(words.start[at], words.end[at]), language)) {
        if ((nameLists.bitsOfWord(base) & KNOWN_FIRST) !== 0)
          inLists |= isPolish || (inLists !== 0 && language !== 'de') ? KNOWN_FIRST : KNOWN_FIRST | GENITIVE;
        inRoster |= people.bitsOfWord(base);
      }
    }
    lists[at] = inLists;
    cues[at] = token ? 0 : table.bitsOf(a, b);
    roster[at] = inRoster;
    const shape = words.shape[at] ?? 0;
    // `I` and initials are always capitals.
    const isValue = token && text[words.start[at] ?? 0] !== 'N';
    const length = (words.end[at] ?? 0) - (words.start[at] ?? 0);
    if (isValue || length === 1 || (length <= LONGEST_ABBREVIATION && (shape & SHOUTED) !== 0 && !token)) others++;
    else if ((shape & CAPITAL) !== 0) capitals++;
    if ((shape & SHOUTED) !== 0 && !token) shouted++;
    else if (!isValue && (shape & CAPITAL) !== 0 && (words.gap[at] ?? 0) !== GAP_BREAK) inner++;
  }
  return {
    text,
    words,
    lists,
    cues,
    roster,
    common: commonBits(language),
    ...caseOf(words.count - others, { capitals, inner, shouted }, language),
  };
}

function caseOf(
  count: number,
  { capitals, inner, shouted }: { readonly capitals: number; readonly inner: number; readonly shouted: number },
  language: string,
) {
  const german = language === 'de';
  const allSmall = count > 0 && capitals === 0;
  const loud = count >= TOO_FEW_TO_TELL && shouted > count * SHOUTED_SHARE;
  const headline =
    !german &&
    count >= TOO_FEW_TO_TELL &&
    capitals > count * HEADLINE_SHARE &&
    (count >= SHORT || inner > count * SHORT_HEADLINE_SHARE);
  return { german, allSmall, capitalsTell: !allSmall && !loud && !headline };
}

function makeRoom(count: number): void {
  if (count <= lists.length) return;
  const capacity = 2 ** Math.ceil(Math.log2(count));
  lists = new Uint32Array(capacity);
  cues = new Uint32Array(capacity);
  roster = new Uint8Array(capacity);
}
