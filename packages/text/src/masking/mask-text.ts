import type { PersonalCategory, Span } from './masker.ts';

// One fixed token per category: neither length nor a number may link two answers that name one
// person.
const TOKENS: Readonly<Record<PersonalCategory, string>> = {
  name: '[NAME]',
  email: '[EMAIL]',
  phone: '[PHONE]',
  address: '[ADDRESS]',
  id: '[ID]',
};

/** Checks whether a range is the word of a token, in a text that is already masked. */
export const isToken = (text: string, start: number, end: number): boolean =>
  Object.values(TOKENS).includes(text.slice(Math.max(0, start - 1), end + 1));

/** Replaces each span by the token of its category. Spans must be sorted and must not overlap. */
export function maskText(text: string, spans: readonly Span[]): string {
  let masked = '';
  let after = 0;
  for (const { start, end, category } of spans) {
    masked += text.slice(after, start) + TOKENS[category];
    after = end;
  }
  return masked + text.slice(after);
}

/**
 * Returns the offset in the text of an offset in its masked text, which must not be in a token.
 * Spans as for `maskText`.
 */
export function unmaskedOffset(masked: number, spans: readonly Span[]): number {
  let offset = masked;
  for (const { start, end, category } of spans) {
    if (offset <= start) break;
    offset += end - start - TOKENS[category].length;
  }
  return offset;
}
