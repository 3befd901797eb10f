import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { handWritten, isWellKnown, readNameSources } from './name-sources.ts';
import { commonWords, LIST_LANGUAGES } from './word-sources.ts';

// Writes packages/text/models/*.txt, the words that the masker knows, from word-sources.ts.

const USAGE = 'node tools/text/build-masking-lists.ts --data FOLDER   (a folder with m-absa and mams)';
const { values } = parseArgs({ options: { data: { type: 'string' } } });
if (values.data === undefined) throw new Error(`--data is required; usage: ${USAGE}`);

const folder = new URL('../../packages/text/models/', import.meta.url);
mkdirSync(folder, { recursive: true });
const hashes: Record<string, string> = {};

const { firstNames, lastNames, places, towns, products, englishWords } = readNameSources();
const isName = (word: string) => firstNames.has(word) || lastNames.has(word);
const known = [...firstNames].filter(([, sources]) => isWellKnown(sources)).map(([name]) => name);
const rare = [...firstNames].filter(([, sources]) => !isWellKnown(sources)).map(([name]) => name);
write('known-first-names', known);
write('other-first-names', rare);
write('last-names', lastNames.keys());
write('places', places);
write('towns', towns);
write('common.any', [...handWritten('common.any'), ...products]);
for (const language of LIST_LANGUAGES) {
  const common = commonWords(values.data, language, isName);
  if (language === 'en') for (const word of englishWords) if (!isName(word)) common.add(word);
  write(`common.${language}`, common);
}
const manifest = { made_by: 'tools/text/build-masking-lists.ts', languages: LIST_LANGUAGES, sha256: hashes };
writeFileSync(new URL('manifest.json', folder), `${JSON.stringify(manifest, null, 2)}\n`);

function write(list: string, words: Iterable<string>): void {
  const text = `${[...new Set(words)].sort().join('\n')}\n`;
  hashes[`${list}.txt`] = createHash('sha256').update(text).digest('hex');
  writeFileSync(new URL(`${list}.txt`, folder), text);
}
