import { WordTable } from '../word-table.ts';
import { CUE_WORDS, type CueLanguage } from './cue-words.ts';

const LANGUAGES: readonly CueLanguage[] = ['en', 'de', 'fr', 'es', 'nl'];

const tables = new Map<string, WordTable>(LANGUAGES.map((language) => [language, tableOf(['any', language])]));
const everyTable = tableOf(['any', ...LANGUAGES]);

/** The cue words of a language (cue-words.ts); of all of them for a language that has none. */
export function cuesOf(language: string): WordTable {
  return tables.get(language) ?? everyTable;
}

function tableOf(languages: readonly CueLanguage[]): WordTable {
  const table = new WordTable();
  for (const [language, cue, words] of CUE_WORDS) {
    if (languages.includes(language)) for (const word of words.split(' ')) table.add(word, cue);
  }
  return table;
}
