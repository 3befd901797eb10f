/**
 * The one normaliser for attribute names (interface.md, field rule 6; rulings B02–B13): two names are the same attribute when
 * their results are equal. Values, topic names and import ids have rules of their own and never pass through here (ruling Z20).
 *
 * Surrounding white space is what JavaScript calls so: U+00A0 and U+3000 go, U+200B stays. It must not be repeated in SQL, where
 * `lower` and `trim` mean something else.
 */
export function normaliseAttributeName(name: string): string {
  // Composed again at the end: lower-casing may leave a letter decomposed that has a composed form.
  return name.normalize('NFC').trim().toLowerCase().normalize('NFC');
}
