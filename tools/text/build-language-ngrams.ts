import { writeFileSync } from 'node:fs';
import { DETECTED_LANGUAGES } from '@survey/text/words/language.ts';

// Writes packages/text/models/language-ngrams.bin, the part of eld's data about the languages that
// are detected. eld itself loads all 60 languages as objects, which take 65 MiB.
// Per n-gram: its length and bytes, then the number of its languages, and the index and score of
// each.

interface EldData {
  readonly languages: Readonly<Record<string, string>>;
  readonly ngrams: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

// eld subtracts the lowest score from all, and writes each byte above 127 as another letter.
const LOWEST_SCORE = 53;
const FIRST_LETTER_BYTE = 0x80;

const entry = import.meta.resolve('eld/extrasmall');
// eld has no types for these files.
const { ngramsData } = (await import(new URL('../ngrams/extrasmall.js', entry).href)) as { ngramsData: EldData };
const { dictionary } = (await import(new URL('../dictionary.js', entry).href)) as { dictionary: readonly string[] };

const byteOf = new Map(
  dictionary.flatMap((letter, byte) => (byte >= FIRST_LETTER_BYTE && letter !== ' ' ? [[letter, byte] as const] : [])),
);
const bytes: number[] = [];
for (const [ngram, scores] of Object.entries(ngramsData.ngrams)) {
  const known = Object.entries(scores).flatMap(([id, score]) => {
    const language = DETECTED_LANGUAGES.indexOf(ngramsData.languages[id] ?? '');
    return language < 0 ? [] : [language, score + LOWEST_SCORE];
  });
  if (known.length > 0)
    bytes.push(
      ngram.length,
      ...Array.from(ngram, (letter) => byteOf.get(letter) ?? letter.charCodeAt(0)),
      known.length / 2,
      ...known,
    );
}
writeFileSync(new URL('../../packages/text/models/language-ngrams.bin', import.meta.url), Uint8Array.from(bytes));
