import type { Word } from '@survey/words/read-words.ts';

// In these languages a keyword may be the first or last part of a longer word: Gehalt in Gehaltserhöhung, salaris in basissalaris.
const COMPOUNDING: ReadonlySet<string> = new Set(['de', 'nl']);
const SHORTEST_PART = 4;
const MAX_PART = 20;
const SHORTEST_REST = 3;
// No longer word is one that somebody wrote.
const MAX_COMPOUND = 40;

export const takesCompounds = (language: string): boolean => COMPOUNDING.has(language);

/** What a compound may begin or end with. An ending of four letters is not taken as a rest: `lohnend` is no Lohn. */
export function partsOfCompound({ folded, stem }: Word): readonly string[] {
  const parts: string[] = [];
  if (folded.length > MAX_COMPOUND) return parts;
  for (let length = SHORTEST_PART; length <= MAX_PART && length <= folded.length - SHORTEST_REST; length += 1) {
    if (length <= folded.length - SHORTEST_REST - 1) parts.push(folded.slice(0, length));
    if (length <= stem.length - SHORTEST_REST) parts.push(stem.slice(-length));
  }
  return parts;
}
