import type { TopicView } from './categoriser.ts';
import { DA } from './starter/da.ts';
import { DE } from './starter/de.ts';
import { EN } from './starter/en.ts';
import { ES } from './starter/es.ts';
import { FR } from './starter/fr.ts';
import { NL } from './starter/nl.ts';
import { PT } from './starter/pt.ts';
import { STARTER_KEYS, type StarterLanguage, type StarterWords } from './starter/starter-words.ts';
import { SV } from './starter/sv.ts';

const WORDS: Readonly<Record<StarterLanguage, StarterWords>> = { da: DA, de: DE, en: EN, es: ES, fr: FR, nl: NL, pt: PT, sv: SV };

/** Starter topics with their names and keywords by language. */
export const STARTER_TOPICS = STARTER_KEYS.map((key) => ({
  names: mapLanguages((words) => words[key].name),
  keywords: mapLanguages((words) => splitKeywords(words[key].keywords)),
}));

/**
 * Returns the workplace topics that an account without topics starts with: names in its language or
 * English, keywords in all languages.
 */
export function starterTopics(language: string): readonly Omit<TopicView, 'topicId'>[] {
  return STARTER_TOPICS.map(({ names, keywords }) => ({
    name: new Map(Object.entries(names)).get(language) ?? names.en,
    keywords: new Map(Object.entries(keywords)),
  }));
}

export function splitKeywords(keywords: string): readonly string[] {
  return keywords.trim().split(/\s*,\s*/u);
}

function mapLanguages<T>(of: (words: StarterWords) => T): Readonly<Record<StarterLanguage, T>> {
  const { da, de, en, es, fr, nl, pt, sv } = WORDS;
  return { da: of(da), de: of(de), en: of(en), es: of(es), fr: of(fr), nl: of(nl), pt: of(pt), sv: of(sv) };
}
