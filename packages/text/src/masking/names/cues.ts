import { readList } from '../read-list.ts';
import { WordTable } from '../word-table.ts';
import { CUES } from './cue-words.ts';

const LANGUAGES = ['en', 'de', 'fr', 'es', 'nl', 'pt', 'da', 'sv', 'it', 'pl'];
const LINES = readList('lists/cues.txt').map((line) => line.split(' '));

const tables = new Map(LANGUAGES.map((language) => [language, tableOf(['any', language])]));
const everyTable = tableOf(['any', ...LANGUAGES]);

/** Returns the cue words of a language (cue-words.ts); of all languages for one without its own. */
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
