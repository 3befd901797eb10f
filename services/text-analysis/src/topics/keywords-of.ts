import { deu, eng, fra, nld, spa } from 'stopword';
import { fold } from '@survey/words/fold.ts';
import type { TopicView } from './categoriser.ts';

// Words that nearly every answer about work contains, and that therefore show no topic.
const EVERYWHERE = `work works working job jobs company companies employee employees people staff
  arbeit arbeiten job firma unternehmen betrieb mitarbeiter mitarbeitende mitarbeiterinnen leute menschen
  travail travailler emploi entreprise societe employe employes salarie salaries personnes gens
  trabajo trabajar empleo empresa empleado empleados trabajador trabajadores personas gente
  werk werken baan bedrijf organisatie medewerker medewerkers werknemer werknemers mensen`;

const EMPTY_WORDS = new Set([...[deu, eng, fra, nld, spa].flat().map(fold), ...EVERYWHERE.split(/\s+/u)]);

// Minimum number of keywords that describe a topic without its description.
const ENOUGH_KEYWORDS = 5;

/**
 * Returns the words that show a topic in answers of a language: its name, and the account admins'
 * keywords. A topic without keywords for the language uses those of other languages, such as
 * Feedback and Team. The description counts while there are few keywords.
 */
export function keywordsOf(topic: TopicView, language: string): readonly string[] {
  const own = topic.keywords.get(language) ?? [];
  const keywords = own.length > 0 ? own : [...topic.keywords.values()].flat();
  const described = keywords.length < ENOUGH_KEYWORDS ? contentWords(topic.description ?? '') : [];
  return [...new Set([topic.name, ...nameParts(topic.name), ...keywords, ...described])];
}

/** Returns the parts of a name that show its topic: either word of "Health & balance". */
export function nameParts(name: string): readonly string[] {
  const parts = name.split(/[&/,;:+()]|\s[-–—]\s|\s(?:and|und|et|y|e|en|or|oder|ou|o|of)\s/iu).map((part) => part.trim());
  return parts.filter((part) => contentWords(part).length > 0);
}

/** Returns the words of a text that nearly every answer about work does not contain. */
export const contentWords = (text: string): readonly string[] =>
  (text.match(/\p{L}[\p{L}\p{M}]+/gu) ?? []).filter((word) => !EMPTY_WORDS.has(fold(word)));
