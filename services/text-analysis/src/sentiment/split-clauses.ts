import type { Word } from '@survey/text/words/read-words.ts';

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
