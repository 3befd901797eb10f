/** Normalised names of the two attributes that are sent as a year and stored as a bucket. */
export type DerivedAttribute = 'age category' | 'seniority';

/**
 * Returns whether a name from `normaliseAttributeName` is a derived attribute (rule
 * IMPORT-ATTRIBUTES-YEARS-1).
 */
export function isDerivedAttribute(key: string): key is DerivedAttribute {
  return key === 'age category' || key === 'seniority';
}

/** Returns the name of a new attribute as it is stored: in NFC, without surrounding white space. */
export function displayAttributeName(name: string): string {
  return name.normalize('NFC').trim();
}

// An import looks up the same few names up to a million times.
const MAX_CACHED = 10_000;
const normalised = new Map<string, string>();

/**
 * Normalises an attribute name. Names with equal results are the same attribute (rules
 * IMPORT-ATTRIBUTES-NAMES-1, IMPORT-ATTRIBUTES-NAMES-3 and IMPORT-ATTRIBUTES-VALUES-1). Values,
 * topic names and import ids have rules of their own (rule IMPORT-ATTRIBUTES-NAMES-1).
 *
 * White space is what JavaScript trims: U+00A0 and U+3000, but not U+200B. Do not repeat this in
 * SQL, where `lower` and `trim` differ.
 */
export function normaliseAttributeName(name: string): string {
  const cached = normalised.get(name);
  if (cached !== undefined) return cached;
  // Recomposed at the end: lower-casing may leave a letter decomposed that has a composed form.
  const key = name.normalize('NFC').trim().toLowerCase().normalize('NFC');
  if (normalised.size === MAX_CACHED) normalised.clear();
  normalised.set(name, key);
  return key;
}

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
