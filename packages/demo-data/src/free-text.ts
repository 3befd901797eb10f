import { colleague, countColleagues } from './colleagues.ts';
import { leaning } from './mood.ts';
import type { OrganisationSize, Person } from './organisation.ts';
import type { Random } from './random.ts';
import { DE } from './texts/de.ts';
import { EN } from './texts/en.ts';
import { ES } from './texts/es.ts';
import { FR } from './texts/fr.ts';
import { NL } from './texts/nl.ts';
import { THEMES, type Phrases, type Sentiment, type Theme } from './texts/phrases.ts';

const PHRASES: Readonly<Record<string, Phrases>> = { de: DE, en: EN, es: ES, fr: FR, nl: NL };

export interface FreeText {
  text: string;
  // Themes of its sentences, and what each says about its own.
  judged: readonly { theme: Theme; sentiment: Sentiment }[];
}

/** Returns a text of a respondent in this mood, in their language or in English. */
export function writeText(person: Person, mood: number, random: Random, size: OrganisationSize): FreeText {
  const phrases = PHRASES[person.site.language] ?? EN;
  const themes = random.shuffled(THEMES).slice(0, random.pick([1, 1, 1, 2, 2, 3]));
  const judged = themes.map((theme) => ({
    theme,
    sentiment: sentimentOf(mood + leaning(person.department, theme, size.seed) + random.normal() * 0.5),
  }));
  const sentences = judged.map(({ theme, sentiment }) => random.pick(phrases.themes[theme][sentiment]));
  if (random.chance(0.04)) sentences.push(mention(random.pick(phrases.mentions), random, size));
  if (random.chance(0.1)) sentences.push(random.pick(phrases.endings));
  return { text: sentences.join(' '), judged };
}

function sentimentOf(judgement: number): Sentiment {
  if (judgement > 0.25) return 'positive';
  return judgement < -0.15 ? 'negative' : 'neutral';
}

// Real answers contain names, addresses and numbers, which masking removes. All are invented; 555
// 01xx is unassigned.
function mention(phrase: string, random: Random, size: OrganisationSize): string {
  const { firstname, lastname, email } = colleague(random.int(1, countColleagues(size)), size).line;
  return phrase
    .replace('{name}', `${firstname} ${lastname}`)
    .replace('{email}', email)
    .replace('{phone}', `+1 202 555 01${random.int(10, 99)}`);
}
