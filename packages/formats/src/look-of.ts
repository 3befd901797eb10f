const UNSEEN = /[\s\p{Cc}\p{Cf}]/gu;
const PUNCTUATION = /\p{P}/gu;

/**
 * Returns what people take a text for: without case, white space and format characters. Warnings
 * compare by it, nothing is matched by it. `imports.value_look` does nearly the same in SQL.
 */
export function lookOf(text: string): string {
  return text.normalize('NFC').replaceAll(UNSEEN, '').replaceAll(/[İı]/g, 'i').toLowerCase();
}

/**
 * Returns the derived attribute that a name looks like without being it; the name's values are
 * stored as they are, so that years are exact (rule IMPORT-ATTRIBUTES-YEARS-5).
 */
export function derivedAttributeLike(name: string): 'looks_like_age_category' | 'looks_like_seniority' | undefined {
  const look = lookOf(name.normalize('NFKC')).replaceAll(PUNCTUATION, '');
  if (look === 'agecategory') return 'looks_like_age_category';
  return look === 'seniority' ? 'looks_like_seniority' : undefined;
}
