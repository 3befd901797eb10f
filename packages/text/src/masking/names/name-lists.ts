import { readList } from '../read-list.ts';
import { WordTable } from '../word-table.ts';

/** Bits of the lists that contain a word. */
export const KNOWN_FIRST = 1;
const OTHER_FIRST = 2;
export const FIRST = KNOWN_FIRST | OTHER_FIRST;
export const LAST = 4;
/** Countries, regions and well-known towns; any town. */
export const PLACE = 8;
export const TOWN = 512;

/** Not in a list itself, but the genitive of a first name: Annegrets. */
export const GENITIVE = 65_536;

// A common word of a language is not by itself evidence of a name.
const COMMON = { en: 16, de: 32, fr: 64, es: 128, nl: 256, pt: 1024, da: 2048, sv: 4096, it: 8192, pl: 16384 } as const;

/** Common in every language: mostly names of products and companies, which are also surnames. */
export const PRODUCT = 32_768;

export const ENGLISH_WORD = COMMON.en;

const FILES: readonly (readonly [file: string, bit: number])[] = [
  ['known-first-names', KNOWN_FIRST],
  ['other-first-names', OTHER_FIRST],
  ['last-names', LAST],
  ['places', PLACE],
  ['towns', TOWN],
  ['common.any', PRODUCT],
  ...Object.entries(COMMON).map(([language, bit]) => [`common.${language}`, bit] as const),
];

/** All lists in one table of hashes, which takes a few megabytes per process. */
export const nameLists = readLists();

const languageBits = new Map<string, number>(Object.entries(COMMON));
/** Common in any of the languages that addresses are known in. */
export const ANY_COMMON: number = COMMON.en | COMMON.de | COMMON.fr | COMMON.es | COMMON.nl | PRODUCT;

// Lists of these languages miss many common words, so the words of other languages count as well.
const SHORT_LISTS = ['it', 'pl'];

/**
 * Returns the bits that make a word common in a language; for a language without a list or with a
 * short one, also the common words of the languages above.
 */
export function commonBits(language: string): number {
  const bits = languageBits.get(language) ?? ANY_COMMON;
  return PRODUCT | (SHORT_LISTS.includes(language) ? bits | ANY_COMMON : bits);
}

function readLists(): WordTable {
  const table = new WordTable();
  for (const [file, bit] of FILES) {
    for (const word of readList(`models/${file}.txt`)) table.add(word, bit);
  }
  return table;
}
