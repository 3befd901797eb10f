// The marks of Kana are kept, because they tell words apart.
const MARKS = /[\p{M}--[\u3099\u309a]]+/gv;
// eslint-disable-next-line no-control-regex
const ASCII = /^[\u0000-\u007f]*$/;

/**
 * Folds to lower case without accents, so that `Équipe` and `equipe` are one word; `ß` becomes
 * `ss`.
 */
export function fold(word: string): string {
  const lower = word.toLowerCase();
  return ASCII.test(lower)
    ? lower
    : lower.normalize('NFD').replace(MARKS, '').normalize('NFC').replaceAll('ß', 'ss').replaceAll('œ', 'oe');
}
