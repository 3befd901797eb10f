import { fold } from './letters.ts';
import { WordTable } from './word-table.ts';

export interface RosterPerson {
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly email: string;
}

/** What the roster knows a word as. */
export const ROSTER_FIRST = 1;
export const ROSTER_LAST = 2;
export const ROSTER_LOGIN = 4;

const LETTER_RUNS = /[\p{L}\p{M}]{2,64}/gu;
const GERMAN_UMLAUTS = new Map([
  ['ä', 'ae'],
  ['ö', 'oe'],
  ['ü', 'ue'],
  ['ß', 'ss'],
]);
// Parts of surnames that are words of their own.
const PARTICLES = new Set(
  'al am an and bin da das de del della den der des di do dos du el en ibn la las le les lo los op of san st ten ter the und van von vom y zu zum zur'.split(
    ' ',
  ),
);
// A mailbox's owner, not a person's name.
const FUNCTIONS = new Set(
  'admin contact employee hello hr info it jobs mail no noreply office personal reply sales service staff support team test user work'.split(
    ' ',
  ),
);
const SHORTEST_LOGIN = 4;

/**
 * The names of an account's employees, folded. People are only ever added: who was offboarded is still written about.
 * Kept as hashes: no name can be read out of it.
 */
export class Roster {
  readonly #words = new WordTable();

  constructor(people: Iterable<RosterPerson> = []) {
    for (const person of people) this.add(person);
  }

  add({ firstname, lastname, email }: RosterPerson): void {
    this.#addName(firstname ?? '', ROSTER_FIRST);
    this.#addName(lastname ?? '', ROSTER_LAST);
    this.#addLogin(email);
  }

  /** The number of distinct words kept. */
  get size(): number {
    return this.#words.size;
  }

  /** ROSTER_… bits of the word with these hashes (word-table.ts), 0 for a word that is nobody's name. */
  bitsOf(a: number, b: number): number {
    return this.#words.bitsOf(a, b);
  }

  #addName(name: string, bit: number): void {
    for (const [word] of name.normalize('NFC').matchAll(LETTER_RUNS)) {
      const folded = fold(word);
      if (PARTICLES.has(folded)) continue;
      this.#words.add(folded, bit);
      const spelledOut = fold(word.toLowerCase().replaceAll(/[äöüß]/g, (letter) => GERMAN_UMLAUTS.get(letter) ?? letter));
      if (spelledOut !== folded) this.#words.add(spelledOut, bit);
    }
  }

  // `asmith@…` is also what colleagues call her.
  #addLogin(email: string): void {
    const local = fold(email.slice(0, Math.max(0, email.indexOf('@'))));
    for (const [word] of local.matchAll(LETTER_RUNS)) {
      if (word.length >= SHORTEST_LOGIN && !FUNCTIONS.has(word) && !PARTICLES.has(word)) this.#words.add(word, ROSTER_LOGIN);
    }
  }
}
