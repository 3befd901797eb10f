import { CASE_FOLDING } from './case-folding.ts';

/** Returns an address as it is stored: without surrounding white space (rule IMPORT-EMAILS-2). */
export function trimEmail(email: string): string {
  return email.trim();
}

// eslint-disable-next-line no-control-regex
const ASCII = /^[\0-\x7f]*$/;

/**
 * Returns the key for comparing e-mail addresses: those with equal keys are one address (rule
 * IMPORT-EMAILS-1). NFC, then Unicode simple case folding: ς is σ and ẞ is ß, but ß is not ss.
 * `imports.email_key` is the same in SQL.
 */
export function emailKey(email: string): string {
  const composed = trimEmail(email).normalize('NFC');
  if (ASCII.test(composed)) return composed.toLowerCase();
  const folded = Array.from(
    composed,
    (letter) => CASE_FOLDING.get(letter) ?? (ASCII.test(letter) ? letter.toLowerCase() : letter),
  );
  // Folding may leave a letter decomposed that has a composed form.
  return folded.join('').normalize('NFC');
}

/** Returns whether a text looks like an address; others get a warning (rule IMPORT-EMAILS-7). */
export function isUsualEmail(email: string): boolean {
  return /^[^\s@]{1,64}@[^\s@]+\.[^\s@.]{2,}$/.test(email);
}
