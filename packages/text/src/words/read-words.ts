import { fold } from './fold.ts';
import { normalise } from './normalise.ts';
import { stem } from './stem.ts';

export interface Word {
  // Lower case, no accents.
  readonly folded: string;
  readonly stem: string;
  // Whether a word of sufficient length is written in capitals or as `o.r.`.
  readonly capitals: boolean;
  // Separator between this word and the previous one.
  readonly after: 'word' | 'clause' | 'sentence';
  // Offsets in the normalised text.
  readonly start: number;
  readonly end: number;
}

// A word (`P.T.O.` and `C#` are one), number, emoticon or emoji; the end of a sentence; a clause
// separator. `3.5` ends no sentence.
const TOKEN =
  /(?<word>(?<![\p{L}\p{N}])\p{L}(?:\.\p{L})+(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])\p{L}{1,2}[#+]{1,2}(?![\p{L}\p{N}])|\p{L}[\p{L}\p{M}]*|\p{N}+|\p{Extended_Pictographic}|(?<![\p{L}\p{N}])[:;=]['’]?-?[()DdPp|](?!\p{L})|(?<![\p{L}\p{N}]):-?\/(?!\/)|<\/?3|\^\^)|(?<sentence>[.!?…]+(?=\s|$)|\n+)|(?<clause>[,;:()[\]"“”„«»/|–—•]+|\s-+\s)/gu;

const CAPITALS = /^\p{Lu}{2,}$/u;

/** Splits a text into words and their separators; linear in its length. */
export function readWords(text: string, language: string): readonly Word[] {
  const words: Word[] = [];
  let after: Word['after'] = 'sentence';
  for (const { groups, index: start, 0: found } of normalise(text).text.matchAll(TOKEN)) {
    if (groups?.['word'] === undefined) {
      if (groups?.['sentence'] !== undefined) after = 'sentence';
      else if (after === 'word') after = 'clause';
    } else {
      const word = found.replaceAll('.', '');
      const end = start + found.length;
      words.push({
        folded: fold(word),
        stem: stem(word, language),
        capitals: word !== found || CAPITALS.test(word),
        after,
        start,
        end,
      });
      after = 'word';
    }
  }
  return words;
}
