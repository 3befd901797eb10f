import { normalise } from '../words/normalise.ts';
import { fold } from './letters.ts';
import { readList } from './read-list.ts';
import { WordTable } from './word-table.ts';

export interface RosterPerson {
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly email: string;
}

/** Bits of the kinds of names that a word is in the roster. */
export const ROSTER_FIRST = 1;
export const ROSTER_LAST = 2;
export const ROSTER_LOGIN = 4;

const ALLOWED_BY_MODEL = 1;
const ALLOWED_BY_ALL = 2;

const LETTER_RUNS = /[\p{L}\p{M}]{2,64}/gu;
const GERMAN_UMLAUTS = new Map([
  ['ä', 'ae'],
  ['ö', 'oe'],
  ['ü', 'ue'],
  ['ß', 'ss'],
]);
// Parts of surnames that are also common words.
const PARTICLES = new Set(
  'al am an and bin da das de del della den der des di do dos du el en ibn la las le les lo los op of san st ten ter the und van von vom y zu zum zur'.split(
    ' ',
  ),
);
// Names of function mailboxes, not of persons.
const FUNCTIONS = new Set(
  'admin contact employee hello hr info it jobs mail no noreply office personal reply sales service staff support team test user work'.split(
    ' ',
  ),
);
const SHORTEST_LOGIN = 4;
const SHORTEST_WITH_GENITIVE = 3;

const NICKNAMES = readNicknames();

// Every form of a name is known when one is in the roster.
function readNicknames(): ReadonlyMap<string, readonly string[]> {
  const groups = readList('lists/nicknames.txt').map((line) => line.split(' '));
  const others = new Map<string, string[]>();
  for (const group of groups) for (const name of group) others.set(name, [...(others.get(name) ?? []), ...group]);
  return others;
}

/** Returns a word in lower case with `ä` as `ae`, as it is written without German letters. */
export function spellUmlautsOut(word: string): string {
  return word.toLowerCase().replaceAll(/[äöüß]/g, (letter) => GERMAN_UMLAUTS.get(letter) ?? letter);
}

/**
 * Folded names of an account's employees. Employees are never removed, because texts still mention
 * offboarded ones. Stored as hashes, from which no name can be read.
 */
export class Roster {
  readonly #words = new WordTable();
  readonly #allowed = new WordTable();

  constructor(people: Iterable<RosterPerson> = []) {
    for (const person of people) this.add(person);
  }

  add({ firstname, lastname, email }: RosterPerson): void {
    this.#addName(firstname ?? '', ROSTER_FIRST);
    this.#addName(lastname ?? '', ROSTER_LAST);
    this.#addLogin(email);
  }

  /** Number of distinct words. */
  get size(): number {
    return this.#words.size;
  }

  /**
   * Returns the ROSTER_… bits of the word with these hashes (word-table.ts), 0 for an unknown word.
   */
  bitsOf(a: number, b: number): number {
    return this.#words.bitsOf(a, b);
  }

  /** Returns the bits of a folded word, as `bitsOf`. */
  bitsOfWord(folded: string): number {
    return this.#words.bitsOfWord(folded);
  }

  /**
   * Adds a name that does not belong to an employee, such as a product or a team. Its words remain
   * visible unless an employee has them, too; with `onlyModel`, the rules may still mask them.
   */
  allow(name: string, { onlyModel = false } = {}): void {
    const bits = onlyModel ? ALLOWED_BY_MODEL : ALLOWED_BY_MODEL | ALLOWED_BY_ALL;
    for (const [word] of normalise(name).text.matchAll(LETTER_RUNS)) this.#allowed.add(fold(word), bits);
  }

  /** Returns whether the model leaves the word visible. */
  isVisibleToModel(word: string): boolean {
    return this.#isAllowed(fold(word), ALLOWED_BY_MODEL);
  }

  /** Returns whether all words of a text that looks like a name remain visible. */
  isVisible(text: string): boolean {
    const words = normalise(text).text.match(LETTER_RUNS) ?? [];
    return words.length > 0 && words.every((word) => this.#isAllowed(fold(word), ALLOWED_BY_ALL));
  }

  #isAllowed(folded: string, bit: number): boolean {
    return (this.#allowed.bitsOfWord(folded) & bit) !== 0 && this.#words.bitsOfWord(folded) === 0;
  }

  /** Returns whether the text has a word of these names. */
  hasWordOf(text: string): boolean {
    for (const [word] of normalise(text).text.matchAll(LETTER_RUNS)) if (this.#words.bitsOfWord(fold(word)) !== 0) return true;
    return false;
  }

  #addName(name: string, bit: number): void {
    for (const [word] of normalise(name).text.matchAll(LETTER_RUNS)) {
      const folded = fold(word);
      if (PARTICLES.has(folded)) continue;
      this.#addWord(folded, bit);
      if (bit === ROSTER_FIRST) for (const nickname of NICKNAMES.get(folded) ?? []) this.#addWord(nickname, bit);
      this.#addWord(fold(spellUmlautsOut(word)), bit);
    }
  }

  // Adds its genitive as well, as German and Dutch write it: Wolfs, Sabines.
  #addWord(folded: string, bit: number): void {
    this.#words.add(folded, bit);
    if (folded.length >= SHORTEST_WITH_GENITIVE && !folded.endsWith('s')) this.#words.add(`${folded}s`, bit);
  }

  // Colleagues may also write `asmith` of `asmith@…`.
  #addLogin(email: string): void {
    const address = normalise(email).text;
    const local = fold(address.slice(0, Math.max(0, address.indexOf('@'))));
    for (const [word] of local.matchAll(LETTER_RUNS)) {
      if (word.length >= SHORTEST_LOGIN && !FUNCTIONS.has(word) && !PARTICLES.has(word)) this.#words.add(word, ROSTER_LOGIN);
    }
  }
}
