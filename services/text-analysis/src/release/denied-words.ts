import { PLAIN } from '@survey/text/masking/letters.ts';
import { isToken, maskText } from '@survey/text/masking/mask-text.ts';
import type { Span } from '@survey/text/masking/masker.ts';
import { spellUmlautsOut } from '@survey/text/masking/roster.ts';
import { fold } from '@survey/text/words/fold.ts';
import { normalise } from '@survey/text/words/normalise.ts';

interface Token {
  readonly start: number;
  readonly end: number;
  readonly folded: string;
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
// Written without spaces, so a denied word can be anywhere in a token.
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

/**
 * Hides the denied words of an account in a text, as names, however they are spelled: without case
 * and accents, with `ue` for `ü`, and with an `s` of the genitive. Done on release, so that a word
 * is hidden from the next call on, whatever masking found (rule TEXTS-WITHHELD-2).
 */
export function hideDeniedWords(denied: readonly string[]): (text: string) => string {
  if (denied.length === 0) return (text) => text;
  const composed = denied.map((word) => normalise(word).text);
  const phrases = [...composed, ...composed.map(spellUmlautsOut)].map((word) => tokensOf(word).map(({ folded }) => folded));
  const whole = new Place([tree(phrases)]);
  const within = new Place([tree(phrases.flat().flatMap((word) => (UNSPACED.test(word) ? [word.split('')] : [])))]);
  return (text) => {
    const normal = normalise(text);
    const tokens = tokensOf(normal.text);
    const words = tokens.map(({ folded }) => folded);
    const spans: Span[] = [];
    const hide = (from: number, to: number): void => {
      const { start, end } = normal.rangeOf(from, to);
      if (start >= (spans.at(-1)?.end ?? 0) && !isToken(text, start, end))
        spans.push({ start, end, category: 'name', source: 'denied', confidence: 1 });
    };
    for (const [index, { start, end, folded }] of tokens.entries()) {
      const length = whole.longest(words, index);
      if (length > 0) hide(start, tokens[index + length - 1]?.end ?? end);
      else if (UNSPACED.test(folded) && folded.split('').some((_, at, units) => within.longest(units, at) > 0)) hide(start, end);
    }
    return maskText(text, spans);
  };
}

/** Phrases by their words. */
interface Tree {
  isEnd: boolean;
  readonly next: Map<string, Tree>;
}

function tree(phrases: readonly (readonly string[])[]): Tree {
  const root: Tree = { isEnd: false, next: new Map() };
  for (const phrase of phrases) {
    let at = root;
    for (const word of phrase) {
      const next = at.next.get(word) ?? { isEnd: false, next: new Map() };
      at.next.set(word, next);
      at = next;
    }
    at.isEnd = true;
  }
  return root;
}

/**
 * Where a text is in the tree of phrases; in several places, since `as` is the word `as` and the
 * genitive of `a`. The next places are computed once, so a word of a text takes the same time
 * whatever the phrases have in common.
 */
class Place {
  readonly isEnd: boolean;
  readonly #next = new Map<string, Tree[]>();
  readonly #after = new Map<string, Place>();

  constructor(trees: readonly Tree[]) {
    this.isEnd = trees.some(({ isEnd }) => isEnd);
    for (const { next } of trees)
      for (const [word, after] of next) this.#next.set(word, [...(this.#next.get(word) ?? []), after]);
  }

  /** Returns the length of the longest phrase that begins here; 0 for none. */
  longest(words: readonly string[], from: number): number {
    let longest = 0;
    let place = this.#step(words[from]);
    for (let length = 1; place !== undefined; length += 1) {
      if (place.isEnd) longest = length;
      place = place.#step(words[from + length]);
    }
    return longest;
  }

  #step(word: string | undefined): Place | undefined {
    if (word === undefined) return undefined;
    const cachedPlace = this.#after.get(word);
    if (cachedPlace !== undefined) return cachedPlace;
    const trees = [word, ...(word.endsWith('s') ? [word.slice(0, -1)] : [])].flatMap((denied) => this.#next.get(denied) ?? []);
    if (trees.length === 0) return undefined;
    const place = new Place(trees);
    this.#after.set(word, place);
    return place;
  }
}

function tokensOf(text: string): readonly Token[] {
  return [...text.matchAll(WORD)].map(({ index, 0: word }) => ({ start: index, end: index + word.length, folded: plain(word) }));
}

// Also ł as l and ı as i, which fold() keeps.
const plain = (word: string): string => fold(word).replaceAll(/[^a-z0-9]/g, (letter) => PLAIN.get(letter) ?? letter);
