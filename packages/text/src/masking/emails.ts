import { allMatches } from './all-matches.ts';
import type { Span } from './masker.ts';

// A line may end in an address. All quantifiers are bounded and every match starts at a boundary,
// so matching is linear in any text.
const EMAIL =
  /(?<![\p{L}\p{N}._%+'-])[\p{L}\p{N}_%+][\p{L}\p{N}._%+'-]{0,63}(?:\n?@\n?| @ )(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})\n?\.){1,8}(?:\p{L}{2,24}|\n(?:com|org|net|eu|de|at|ch|uk|fr|es|nl)(?!\p{L}))/gu;
// anna (at) example (dot) org
const SPELT_OUT =
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}(?:\s?[([{]\s?(?:dot|punkt|point|punto|punt)\s?[)\]}]\s?[\p{L}\p{N}._%+-]{1,64}){0,3}\s?[([{]\s?(?:at|ät|arobase|arroba|apenstaartje)\s?[)\]}]\s?[\p{L}\p{N}-]{1,63}(?:\s?(?:\.|[([{]\s?(?:dot|punkt|point|punto|punt)\s?[)\]}])\s?[\p{L}\p{N}-]{2,24}){1,4}/giu;
const SPELT_HINT = /[([{]\s?(?:at|ät|ar|ape)/i;
const TLD = '(?:com|org|net|edu|gov|info|io|eu|de|at|ch|uk|ie|fr|be|es|mx|nl|it|pl|pt|br|dk|se|no|us|ca|au)(?![\\p{L}\\p{N}])';
const AT = '(?:at|ät|arobase|arroba|apenstaartje)';
// anna.oak at example.com: one word before `at` may be any, as in `look at example.com`.
const WITH_AT = new RegExp(
  `(?<![\\p{L}\\p{N}._%+-])(?:[\\p{L}\\p{N}_%+]{1,40}[._-]){1,4}[\\p{L}\\p{N}_%+]{1,40} ${AT} (?:[\\p{L}\\p{N}-]{1,63}\\.){1,4}${TLD}`,
  'giu',
);
const AT_HINT = new RegExp(` ${AT} [^\\s.]{1,63}\\.`, 'i');
// anna dot oak at example dot org, but not `we met at example dot org`
const DOT = '(?:dot|punkt|point|punto|punt)';
const SPOKEN = new RegExp(
  `(?<![\\p{L}\\p{N}._%+-])[\\p{L}\\p{N}._%+-]{1,64}(?: ${DOT} [\\p{L}\\p{N}_%+-]{1,64}){0,3}(?<!(?<!\\p{L})(?:met|meet|works?|worked|working|look|looked|shop|buy|bought|order|ordered|find|found|is|are|was|were|us|me|them)) ${AT} [\\p{L}\\p{N}-]{1,63}(?: ${DOT} [\\p{L}\\p{N}-]{1,63}){0,3} ${DOT} ${TLD}`,
  'giu',
);
const SPOKEN_HINT = new RegExp(` ${DOT} `, 'i');

/** Finds e-mail addresses, also those spelt out against robots. */
export function findEmails(text: string): Span[] {
  return [
    ...(text.includes('@') ? spansOf(text, EMAIL, 'email', 1) : []),
    ...(SPELT_HINT.test(text) ? spansOf(text, SPELT_OUT, 'spelt-out', 0.95) : []),
    ...(AT_HINT.test(text) ? spansOf(text, WITH_AT, 'spelt-out', 0.95) : []),
    ...(SPOKEN_HINT.test(text) ? spansOf(text, SPOKEN, 'spelt-out', 0.95) : []),
  ];
}

function spansOf(text: string, pattern: RegExp, source: string, confidence: number): Span[] {
  return allMatches(text, pattern).map(({ 0: value, index }) => ({
    start: index,
    end: index + value.length,
    category: 'email',
    source,
    confidence,
  }));
}
