import type { Word } from '@survey/text/words/read-words.ts';

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

/** Range of words about one thing: from one punctuation mark or word of contrast to the next. */
export interface Clause {
  // Word indexes; the end is exclusive.
  readonly start: number;
  readonly end: number;
  // Index of the sentence in the text.
  readonly sentence: number;
}

const CONTRAST: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    da: 'men dog selvom trods mens hvorimod undtagen alligevel kun desværre',
    de: 'aber jedoch doch allerdings obwohl trotz trotzdem sondern wahrend hingegen dagegen dafur dennoch ausser nur',
    en: 'but however although though yet while whereas except despite nevertheless still only unfortunately',
    es: 'pero aunque sino mientras salvo excepto embargo pese pesar cambio',
    fr: 'mais cependant pourtant toutefois malgre sauf tandis alors neanmoins revanche quoique bien',
    nl: 'maar echter hoewel ondanks terwijl behalve toch daarentegen alleen wel',
    pt: 'mas porem contudo embora apesar enquanto exceto todavia entretanto infelizmente',
    sv: 'men dock fast trots medan daremot utom anda bara tyvarr',
  }).map(([language, words]) => [language, new Set(words.split(' '))]),
);

const NO_CONTRAST: ReadonlySet<string> = new Set();

export function splitClauses(words: readonly Word[], language: string): readonly Clause[] {
  const contrast = CONTRAST.get(language) ?? NO_CONTRAST;
  const clauses: Clause[] = [];
  let start = 0;
  let sentence = 0;
  for (let index = 1; index <= words.length; index += 1) {
    const word = words[index];
    if (word !== undefined && word.after === 'word' && !contrast.has(word.folded)) continue;
    clauses.push({ start, end: index, sentence });
    start = index;
    if (word?.after === 'sentence') sentence += 1;
  }
  return clauses;
}
