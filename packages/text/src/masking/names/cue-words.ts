import { readList } from '../read-list.ts';
import { WordTable } from '../word-table.ts';

// Kinds of words that show whether a word is a name. lists/cues.txt has the words per language.

/** Directly precedes a name: Mr, Frau, señora. */
export const TITLE = 1;
/** Announces a name: named, heißt, se llama. */
export const NAMED = 2;
/** Role at work; a name often follows: manager, Kollegin, jefe. */
export const ROLE = 4;
/** Often precedes a name: with, von, gracias a. */
export const WITH = 8;
/** Verb of a person; often directly follows a name: said, hilft, est. */
export const ACT = 16;
/** Precedes a location: in, nach, chez. */
export const LOCATIVE = 32;
/** Turns the capitalised words before it into an organisation, a street or a thing. */
export const ORGANISATION = 64;
/** Belongs to the name before it: Jr, PhD. */
export const SUFFIX = 128;
/** Months, weekdays, holidays. */
export const CALENDAR = 256;
/** Belongs to the surname after it: van der, de la. */
export const PARTICLE = 512;
/** Precedes a noun: the, einen, sus. */
export const ARTICLE = 1024;
/** `name` itself: name is, nom :, naam. */
export const NAME_NOUN = 2048;
/** Turns the word after it into a location: San Marco, Port Edward. */
export const PLACE_BEFORE = 4096;
/** Thanks, a greeting, or a word that a preposition and a name follow: report to, speak with. */
export const THANKS = 8192;
/** Joins two words of one kind. */
export const AND = 16384;
/** Part of a company, which people are from. */
export const DEPARTMENT = 32768;

/** Winter, été: names of people, and of what is cold or over. */
export const SEASON = 65_536;

/** Cue bits by their names in lists/cues.txt. */
export const CUES: ReadonlyMap<string, number> = new Map(
  Object.entries({
    TITLE,
    NAMED,
    ROLE,
    WITH,
    ACT,
    LOCATIVE,
    ORGANISATION,
    SUFFIX,
    CALENDAR,
    PARTICLE,
    ARTICLE,
    NAME_NOUN,
    PLACE_BEFORE,
    THANKS,
    AND,
    DEPARTMENT,
    SEASON,
  }),
);

const LANGUAGES = ['en', 'de', 'fr', 'es', 'nl', 'pt', 'da', 'sv', 'it', 'pl'];
const LINES = readList('lists/cues.txt').map((line) => line.split(' '));

const tables = new Map(LANGUAGES.map((language) => [language, tableOf(['any', language])]));
const everyTable = tableOf(['any', ...LANGUAGES]);

/** Returns the cue words of a language; of all languages for one without its own. */
export function cuesOf(language: string): WordTable {
  return tables.get(language) ?? everyTable;
}

function tableOf(languages: readonly string[]): WordTable {
  const table = new WordTable();
  for (const [language = '', name = '', ...words] of LINES) {
    const cue = CUES.get(name);
    if (cue === undefined) throw new Error(`unknown cue in lists/cues.txt: ${name}`);
    if (languages.includes(language)) for (const word of words) table.add(word, cue);
  }
  return table;
}
