import { readList } from '../read-list.ts';
import { WordTable } from '../word-table.ts';

/** What the lists know a word as, one bit each. */
export const KNOWN_FIRST = 1;
export const OTHER_FIRST = 2;
export const FIRST = KNOWN_FIRST | OTHER_FIRST;
export const LAST = 4;
/** Countries, regions and well-known towns; any town. */
export const PLACE = 8;
export const TOWN = 512;

// A common word of a language is no evidence of a name by itself.
const COMMON = { en: 16, de: 32, fr: 64, es: 128, nl: 256 } as const;

export const ENGLISH_WORD = COMMON.en;

const FILES: readonly (readonly [file: string, bit: number])[] = [
  ['known-first-names', KNOWN_FIRST],
  ['other-first-names', OTHER_FIRST],
  ['last-names', LAST],
  ['places', PLACE],
  ['towns', TOWN],
  ...Object.entries(COMMON).map(([language, bit]) => [`common.${language}`, bit] as const),
];

/** All lists in one table: a few megabytes of hashes for the process. */
export const nameLists = readLists();

const languageBits = new Map<string, number>(Object.entries(COMMON));
/** Common in any language. */
export const ANY_COMMON: number = Object.values(COMMON).reduce((all, bit) => all | bit, 0);

/** The bits that make a word common in a text of this language; in a language without a list, what is common in any that has one. */
export function commonBits(language: string): number {
  return languageBits.get(language) ?? ANY_COMMON;
}

function readLists(): WordTable {
  const table = new WordTable();
  for (const [file, bit] of FILES) {
    for (const word of readList(`models/${file}.txt`)) table.add(word, bit);
  }
  return table;
}
