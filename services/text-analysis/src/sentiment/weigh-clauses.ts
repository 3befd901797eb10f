import type { Word } from '@survey/text/words/read-words.ts';
import { isEmoji } from './emoji.ts';

// Weights of clauses that do not name the topic.
const SAME_SENTENCE = 0.2;
const OTHER_SENTENCE = 0.1;

const NONE_HIDDEN: ReadonlySet<number> = new Set();

/** Words that name a topic; the end is exclusive. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns how much each clause says about the topic named at the given places; equally much when no
 * clause names it. A clause that only names it (`Canteen: too loud`) is about what the next one
 * says, or else the one before.
 */
export function clauseShares(
  clauses: readonly Clause[],
  places: readonly Place[],
  saysSomething: readonly boolean[] = clauses.map(() => true),
): readonly number[] {
  const namingClauses = clauses.flatMap((clause, index) =>
    places.some(({ start }) => start >= clause.start && start < clause.end) ? [index] : [],
  );
  const topicClauses = new Set(
    namingClauses.map((index) => (saysSomething[index] === true ? index : neighbour(saysSomething, index))),
  );
  const sentences = new Set([...topicClauses].map((index) => clauses[index]?.sentence));
  return clauses.map(({ sentence }, index) => {
    if (saysSomething[index] !== true) return 0;
    if (namingClauses.length === 0 || topicClauses.has(index)) return 1;
    return sentences.has(sentence) ? SAME_SENTENCE : OTHER_SENTENCE;
  });
}

const neighbour = (saysSomething: readonly boolean[], index: number): number => {
  const next = saysSomething.indexOf(true, index);
  return next >= 0 ? next : saysSomething.lastIndexOf(true, index);
};

/**
 * Turns shares into weights of the clauses' features: divided by the square root of the words that
 * they count, so that long texts do not count more.
 */
export function featureWeights(
  clauses: readonly Clause[],
  shares: readonly number[],
  hidden: ReadonlySet<number> = NONE_HIDDEN,
): readonly number[] {
  let words = 0;
  for (const [index, { start, end }] of clauses.entries())
    for (let at = start; at < end; at += 1) if (!hidden.has(at)) words += shares[index] ?? 0;
  return shares.map((share) => share / Math.sqrt(Math.max(1, words)));
}

/**
 * Range of words about one thing: from one punctuation mark, emoji or word of contrast to the next.
 */
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
    fr: 'mais cependant pourtant toutefois malgre sauf tandis alors neanmoins revanche quoique',
    nl: 'maar echter hoewel ondanks terwijl behalve toch daarentegen alleen',
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
    const isAfterEmoji = isEmoji(words[index - 1]?.folded ?? '') && !isEmoji(word?.folded ?? '');
    if (word !== undefined && word.after === 'word' && !isAfterEmoji && !contrast.has(word.folded)) continue;
    clauses.push({ start, end: index, sentence });
    start = index;
    if (word?.after === 'sentence') sentence += 1;
  }
  return clauses;
}
