import { fold } from '../letters.ts';
import { isToken } from '../mask-text.ts';
import type { AnswerToMask } from '../masker.ts';
import { CAPITAL, GAP_BREAK, readWords, SHOUTED, type Words } from '../words.ts';
import { cuesOf } from './cue-words.ts';
import { commonBits, GENITIVE, KNOWN_FIRST, LAST, nameLists } from './name-lists.ts';

/** Facts about the words of a text, before any rule is applied. */
export interface Evidence {
  readonly text: string;
  readonly words: Readonly<Words>;
  // Bits by word index: name-lists.ts, cue-words.ts, roster.ts.
  readonly lists: readonly number[];
  readonly cues: readonly number[];
  readonly roster: readonly number[];
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
  const lists: number[] = [];
  const cues: number[] = [];
  const roster: number[] = [];
  const table = cuesOf(language);
  // Saves time.
  const isMasked = text.includes('[');
  const isPolish = language === 'pl';
  let capitals = 0;
  // Capitals within a sentence, without abbreviations.
  let inner = 0;
  let shouted = 0;
  let others = 0;
  for (const [at, start] of words.start.entries()) {
    const end = words.end[at] ?? 0;
    // Tokens are not evidence. [NAME] counts as a capitalised word, other tokens do not count as
    // words.
    if (isMasked && isToken(text, start, end)) {
      if (text[start] === 'N') capitals++;
      else others++;
      for (const facts of [lists, cues, roster]) facts.push(0);
      continue;
    }
    const a = words.a[at] ?? 0;
    const b = words.b[at] ?? 0;
    const shape = words.shape[at] ?? 0;
    const isCapital = (shape & CAPITAL) !== 0;
    let inLists = nameLists.bitsOf(a, b);
    let inRoster = people.bitsOf(a, b);
    if ((inLists & ~LAST) === 0 && inRoster === 0 && (isPolish || isCapital)) {
      for (const base of basesOf(text.slice(start, end), language)) {
        if ((nameLists.bitsOfWord(base) & KNOWN_FIRST) !== 0)
          inLists |= isPolish || (inLists !== 0 && language !== 'de') ? KNOWN_FIRST : KNOWN_FIRST | GENITIVE;
        inRoster |= people.bitsOfWord(base);
      }
    }
    lists.push(inLists);
    cues.push(table.bitsOf(a, b));
    roster.push(inRoster);
    const isShouted = (shape & SHOUTED) !== 0;
    // `I` and initials are always capitals.
    if (end - start === 1 || (end - start <= LONGEST_ABBREVIATION && isShouted)) others++;
    else if (isCapital) capitals++;
    if (isShouted) shouted++;
    else if (isCapital && words.gap[at] !== GAP_BREAK) inner++;
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
    // A share of a short text is never whole.
    (count >= SHORT || inner > count * SHORT_HEADLINE_SHARE);
  return { german, allSmall, capitalsTell: !allSmall && !loud && !headline };
}
