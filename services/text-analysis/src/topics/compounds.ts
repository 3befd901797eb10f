import type { Word } from '@survey/text/words/read-words.ts';

// Languages whose keywords also match the first or last part of a compound: Gehalt in
// Gehaltserhöhung, salaris in basissalaris.
const COMPOUNDING: ReadonlySet<string> = new Set(['de', 'nl']);
const SHORTEST_PART = 4;
const MAX_PART = 20;
const SHORTEST_REST = 3;
// Maximum length of a word that may be a compound.
const MAX_COMPOUND = 40;

export const takesCompounds = (language: string): boolean => COMPOUNDING.has(language);

/**
 * Returns the possible first and last parts of a compound. The rest must be longer than an ending
 * of four letters: `lohnend` is no Lohn.
 */
export function partsOfCompound({ folded, stem }: Word): readonly string[] {
  const parts: string[] = [];
  if (folded.length > MAX_COMPOUND) return parts;
  for (let length = SHORTEST_PART; length <= MAX_PART && length <= folded.length - SHORTEST_REST; length += 1) {
    if (length <= folded.length - SHORTEST_REST - 1) parts.push(folded.slice(0, length));
    if (length <= stem.length - SHORTEST_REST) parts.push(stem.slice(-length));
  }
  return parts;
}
