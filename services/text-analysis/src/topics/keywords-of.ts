import type { TopicView } from './categoriser.ts';
import { contentWords, nameParts } from './name-parts.ts';
import { suggestedKeywords } from './usual-topics.ts';

// Minimum number of keywords that describe a topic without its description.
const ENOUGH_KEYWORDS = 5;

/**
 * Returns the words that show a topic in answers of a language: its name, and the account admins'
 * keywords. A topic without keywords for the language uses those of other languages, such as
 * Feedback and Team, and those of usual topics that its name shows. The description counts while
 * there are few keywords of admins.
 */
export function keywordsOf(topic: TopicView, language: string): readonly string[] {
  const own = topic.keywords.get(language) ?? [];
  const given = own.length > 0 ? own : [...topic.keywords.values()].flat();
  const suggested = own.length > 0 ? [] : suggestedFor(topic.name, language);
  const described = given.length < ENOUGH_KEYWORDS ? contentWords(topic.description ?? '') : [];
  return [...new Set([topic.name, ...nameParts(topic.name), ...given, ...suggested, ...described])];
}

function suggestedFor(name: string, language: string): readonly string[] {
  const suggested = suggestedKeywords(name);
  return suggested[language] ?? Object.values(suggested).flat();
}
