import { fold } from './fold.ts';
import { stem } from './stem.ts';

export interface Word {
  // Lower case, no accents.
  readonly folded: string;
  readonly stem: string;
  // Written in capitals, and long enough for that to say something.
  readonly capitals: boolean;
  // What stands between this word and the one before it.
  readonly after: 'word' | 'clause' | 'sentence';
}

// A word, number, emoticon or emoji; the end of a sentence; what separates clauses. `3.5` and `e.g.` end no sentence.
const TOKEN =
  /(?<word>\p{L}[\p{L}\p{M}]*|\p{N}+|\p{Extended_Pictographic}|[:;]-?[()D])|(?<sentence>[.!?…]+(?=\s|$)|\n+)|(?<clause>[,;:()[\]"“”„«»/|–—•]+|\s-+\s)/gu;

const CAPITALS = /^\p{Lu}{2,}$/u;

/** The words of a text with what separates them; linear in its length. */
export function readWords(text: string, language: string): readonly Word[] {
  const words: Word[] = [];
  let after: Word['after'] = 'sentence';
  for (const { groups, 0: found } of text.normalize('NFC').matchAll(TOKEN)) {
    if (groups?.['word'] === undefined) {
      if (groups?.['sentence'] !== undefined) after = 'sentence';
      else if (after === 'word') after = 'clause';
    } else {
      words.push({ folded: fold(found), stem: stem(found, language), capitals: CAPITALS.test(found), after });
      after = 'word';
    }
  }
  return words;
}
