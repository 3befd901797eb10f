import type { Clause } from './split-clauses.ts';

// Weights of clauses that do not name the topic.
const SAME_SENTENCE = 0.2;
const OTHER_SENTENCE = 0.1;

/**
 * Returns each clause's weight for the topic named at the given words; equal weights when no clause
 * names it. Weights are divided by the square root of the words that they count, so that long texts
 * do not count more.
 */
export function weighClauses(clauses: readonly Clause[], places: readonly number[]): readonly number[] {
  const spoken = new Set(places);
  const named = clauses.map((clause) => holdsAny(clause, spoken));
  const sentences = new Set(clauses.filter((_, index) => named[index]).map(({ sentence }) => sentence));
  const raw = clauses.map(({ sentence }, index) => {
    if (sentences.size === 0 || named[index]) return 1;
    return sentences.has(sentence) ? SAME_SENTENCE : OTHER_SENTENCE;
  });
  const words = clauses.reduce((sum, { start, end }, index) => sum + (raw[index] ?? 0) * (end - start), 0);
  return raw.map((weight) => weight / Math.sqrt(Math.max(1, words)));
}

function holdsAny({ start, end }: Clause, places: ReadonlySet<number>): boolean {
  for (let place = start; place < end; place += 1) if (places.has(place)) return true;
  return false;
}
