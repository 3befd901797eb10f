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
