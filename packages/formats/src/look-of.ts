const UNSEEN = /[\s\p{Cc}\p{Cf}]/gu;
const PUNCTUATION = /\p{P}/gu;

/**
 * Returns a text as people perceive it, without case, white space and format characters. Warnings
 * compare texts by it, but nothing is matched by it. `imports.value_look` does nearly the same in
 * SQL.
 */
export function lookOf(text: string): string {
  return text.normalize('NFC').replaceAll(UNSEEN, '').replaceAll(/[İı]/g, 'i').toLowerCase();
}

/**
 * Returns the derived attribute that a name resembles without being equal to it. Its values are
 * stored unchanged, so exact years would be stored, too (rule IMPORT-ATTRIBUTES-YEARS-5).
 */
export function derivedAttributeLike(name: string): 'looks_like_age_category' | 'looks_like_seniority' | undefined {
  const look = lookOf(name.normalize('NFKC')).replaceAll(PUNCTUATION, '');
  if (look === 'agecategory') return 'looks_like_age_category';
  return look === 'seniority' ? 'looks_like_seniority' : undefined;
}
