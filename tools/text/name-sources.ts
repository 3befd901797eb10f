import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { allLocales } from '@faker-js/faker';
import nlp from 'compromise';
import { fold } from '@survey/text/masking/letters.ts';

interface NameSources {
  // Folded single words, with the number of sources of each.
  readonly firstNames: ReadonlyMap<string, number>;
  readonly lastNames: ReadonlyMap<string, number>;
  // Countries, regions and well-known towns.
  readonly places: ReadonlySet<string>;
  readonly towns: ReadonlySet<string>;
  // Names of products and companies that are not names of people.
  readonly products: ReadonlySet<string>;
  // English words that are not names.
  readonly englishWords: ReadonlySet<string>;
}

// A first name in compromise or in one of these locales counts as well known.
const WELL_KNOWN = 3;
const MAIN_LOCALES = new Set(
  'en en_US en_GB en_CA en_AU en_IE de de_AT de_CH fr fr_FR fr_BE fr_CA fr_CH es es_MX nl nl_BE it pl'.split(' '),
);
const NAME_TAGS = new Set(['FirstName', 'MaleName', 'FemaleName']);
const PLACE_TAGS = new Set(['City', 'Region', 'Country', 'Place', 'Demonym']);
const NO_WORD_TAGS = new Set([
  ...NAME_TAGS,
  ...PLACE_TAGS,
  'LastName',
  'Person',
  'ProperNoun',
  'SportsTeam',
  'Organization',
  'Abbreviation',
]);
const SHORTEST = 2;
const SHORTEST_PRODUCT = 3;

/**
 * Reads names of people, locations and products from Faker's locales, compromise's lexicon and
 * cspell's lists (all MIT), and from lists/first-names.txt.
 */
export function readNameSources(): NameSources {
  const firstNames = new Map<string, number>();
  const lastNames = new Map<string, number>();
  const places = new Set<string>();
  const towns = new Set<string>();
  const englishWords = new Set<string>();
  for (const [locale, { person, location }] of Object.entries(allLocales)) {
    for (const name of texts(person?.first_name)) count(firstNames, name, MAIN_LOCALES.has(locale) ? WELL_KNOWN : 1);
    for (const name of texts(person?.last_name)) count(lastNames, name, 1);
    for (const place of texts([location?.state, location?.country])) addPlace(places, place);
    for (const town of texts(location?.city_name)) addPlace(towns, town);
  }
  for (const [word, tag] of Object.entries(englishLexicon())) {
    const tags = [tag].flat();
    if (tags.some((one) => NAME_TAGS.has(one))) count(firstNames, word, WELL_KNOWN);
    if (tags.includes('LastName')) count(lastNames, word, 1);
    if (tags.some((one) => PLACE_TAGS.has(one))) addPlace(places, word);
    if (!word.includes(' ') && !tags.some((one) => NO_WORD_TAGS.has(one))) englishWords.add(fold(word));
  }
  for (const name of handWritten('first-names')) count(firstNames, name, WELL_KNOWN);
  // First names that no other source lists count as last names.
  for (const name of cspellWords('people-names', 'people-names.txt')) count(lastNames, name, 1);
  const tools = ['software-tools.txt', 'webServices.txt'].flatMap((file) => cspellWords('software-terms', file));
  const companies = cspellWords('companies', 'companies.txt').flatMap(wordsOf);
  // Kafka and Jenkins are rather software than people, Ford and Abbott are not.
  const products = [...tools.flatMap(wordsOf), ...companies.filter((word) => !lastNames.has(word))];
  return {
    firstNames,
    lastNames,
    places,
    towns,
    products: new Set(products.filter((word) => word.length >= SHORTEST_PRODUCT && !firstNames.has(word))),
    englishWords,
  };
}

export const isWellKnown = (sources: number): boolean => sources >= WELL_KNOWN;

// One per line, comments with #.
function cspellWords(list: string, file: string): string[] {
  const folder = dirname(createRequire(import.meta.url).resolve(`@cspell/dict-${list}`));
  return readFileSync(join(folder, 'dict', file), 'utf8')
    .split('\n')
    .filter((line) => !line.includes('#'));
}

// The model is documented but has no type.
function englishLexicon(): Record<string, string | string[]> {
  const model = nlp.model() as unknown as { one: { lexicon: Record<string, string | string[]> } };
  return model.one.lexicon;
}

function count(counts: Map<string, number>, name: string, by: number): void {
  for (const word of wordsOf(name)) counts.set(word, (counts.get(word) ?? 0) + by);
}

// Single words of a longer name, such as New or San, are not evidence.
function addPlace(places: Set<string>, place: string): void {
  const [word, ...more] = wordsOf(place);
  if (word !== undefined && more.length === 0) places.add(word);
}

/** Returns the letter runs of a text, folded, as the masker looks them up. */
export function wordsOf(text: string): string[] {
  return (text.normalize('NFC').match(/[\p{L}\p{M}]+/gu) ?? []).map(fold).filter((word) => word.length >= SHORTEST);
}

/** Returns the words of a list that was written by hand. */
export function handWritten(list: string): string[] {
  const text = readFileSync(new URL(`../../packages/text/lists/${list}.txt`, import.meta.url), 'utf8');
  return text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .flatMap(wordsOf);
}

// Faker nests definitions by sex and weight.
function texts(definition: unknown): string[] {
  if (typeof definition === 'string') return [definition];
  if (typeof definition !== 'object' || definition === null) return [];
  return Object.values(definition).flatMap(texts);
}
