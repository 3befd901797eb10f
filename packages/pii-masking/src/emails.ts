import type { Span } from './masker.ts';

// All quantifiers are bounded and every match starts at a boundary, so matching is linear in any
// text.
const EMAIL =
  /(?<![\p{L}\p{N}._%+'-])[\p{L}\p{N}_%+][\p{L}\p{N}._%+'-]{0,63}(?:@| @ )(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})\.){1,8}\p{L}{2,24}/gu;
// anna (at) example (dot) org
const SPELT_OUT =
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}\s?[([{]\s?(?:at|ät|arobase|arroba|apenstaartje)\s?[)\]}]\s?[\p{L}\p{N}-]{1,63}(?:\s?(?:\.|[([{]\s?(?:dot|punkt|point|punto|punt)\s?[)\]}])\s?[\p{L}\p{N}-]{2,24}){1,4}/giu;
const SPELT_HINT = /[([{]\s?(?:at|ät|ar|ape)/i;

/** Finds e-mail addresses, also those spelt out against robots. */
export function findEmails(text: string): Span[] {
  const spans = text.includes('@') ? spansOf(text, EMAIL, 'email', 1) : [];
  return SPELT_HINT.test(text) ? [...spans, ...spansOf(text, SPELT_OUT, 'spelt-out', 0.95)] : spans;
}

function spansOf(text: string, pattern: RegExp, source: string, confidence: number): Span[] {
  return Array.from(text.matchAll(pattern), ({ 0: value, index }) => ({
    start: index,
    end: index + value.length,
    category: 'email',
    source,
    confidence,
  }));
}
