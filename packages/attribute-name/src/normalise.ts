/** Returns the name of a new attribute as it is stored: in NFC, without surrounding white space. */
export function displayAttributeName(name: string): string {
  return name.normalize('NFC').trim();
}

// An import meets the same few names a million times over.
const MAX_REMEMBERED = 10_000;
const normalised = new Map<string, string>();

/**
 * The one normaliser for attribute names (rules IMPORT-ATTRIBUTES-NAMES-1,
 * IMPORT-ATTRIBUTES-NAMES-3 and IMPORT-ATTRIBUTES-VALUES-1): two names are the same attribute when
 * their results are equal. Values, topic names and import ids have rules of their own and never
 * pass through here (rule IMPORT-ATTRIBUTES-NAMES-1).
 *
 * Surrounding white space is what JavaScript calls so: U+00A0 and U+3000 go, U+200B stays. It must
 * not be repeated in SQL, where `lower` and `trim` mean something else.
 */
export function normaliseAttributeName(name: string): string {
  const known = normalised.get(name);
  if (known !== undefined) return known;
  // Composed again at the end: lower-casing may leave a letter decomposed that has a composed form.
  const key = name.normalize('NFC').trim().toLowerCase().normalize('NFC');
  if (normalised.size === MAX_REMEMBERED) normalised.clear();
  normalised.set(name, key);
  return key;
}
