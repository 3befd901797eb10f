import { isToken, maskText } from '@survey/text/masking/mask-text.ts';
import type { Span } from '@survey/text/masking/masker.ts';
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
 * and accents, and with an `s` of the genitive. Done on release, so that a word is hidden from the
 * next call on, whatever masking found (rule TEXTS-WITHHELD-2).
 */
export function hideDeniedWords(denied: readonly string[]): (text: string) => string {
  if (denied.length === 0) return (text) => text;
  const phrases = denied.map((word) => tokensOf(normalise(word).text).map(({ folded }) => folded));
  const byFirst = Map.groupBy(phrases, ([first = '']) => first);
  const within = phrases.flat().filter((word) => UNSPACED.test(word));
  return (text) => {
    const normal = normalise(text);
    const tokens = tokensOf(normal.text);
    const spans: Span[] = [];
    const hide = (from: number, to: number): void => {
      const { start, end } = normal.rangeOf(from, to);
      if (start >= (spans.at(-1)?.end ?? 0) && !isToken(text, start, end))
        spans.push({ start, end, category: 'name', source: 'denied', confidence: 1 });
    };
    for (const [index, token] of tokens.entries()) {
      const last = lastOf(tokens, index, byFirst);
      if (last !== undefined) hide(token.start, last.end);
      else for (const word of within) if (token.folded.includes(word)) hide(token.start, token.end);
    }
    return maskText(text, spans);
  };
}

// The last token of the longest denied phrase that begins here.
function lastOf(tokens: readonly Token[], index: number, byFirst: ReadonlyMap<string, readonly string[][]>): Token | undefined {
  const folded = tokens[index]?.folded ?? '';
  const phrases = [...(byFirst.get(folded) ?? []), ...(byFirst.get(withoutS(folded)) ?? [])];
  const lengths = phrases
    .filter((phrase) => phrase.every((word, offset) => isSame(tokens[index + offset]?.folded ?? '', word)))
    .map(({ length }) => length);
  // Bounded: the denied words of an account.
  return lengths.length === 0 ? undefined : tokens[index + Math.max(...lengths) - 1];
}

const withoutS = (word: string): string => (word.endsWith('s') ? word.slice(0, -1) : word);

const isSame = (word: string, denied: string): boolean => word === denied || withoutS(word) === denied;

function tokensOf(text: string): readonly Token[] {
  return [...text.matchAll(WORD)].map(({ index, 0: word }) => ({ start: index, end: index + word.length, folded: fold(word) }));
}
