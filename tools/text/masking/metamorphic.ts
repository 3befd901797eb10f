import type { Masker } from '@survey/text/masking/masker.ts';
import { percentOfCases, type Row } from './row.ts';
import { isHidden, maskSentences, type Sentence, type Value, writeSentences } from './survey-sentences.ts';

const LANGUAGES = ['en', 'de', 'fr', 'es', 'nl'] as const;
// Of the 50 sentences of a template; each is transformed in all ways.
const SENTENCES_PER_TEMPLATE = 4;
// A sentence may lose no name in another spelling of it; one in fifty is the tolerance.
const GOAL = '>= 98';

type Change = (piece: string, isName: boolean) => string;

const inWords =
  (mark: string): Change =>
  (piece) =>
    piece.replaceAll(/(?<=\p{L})(?=\p{L})/gu, mark);
const spaces =
  (space: string): Change =>
  (piece) =>
    piece.replaceAll(' ', space);
const name =
  (change: (value: string) => string): Change =>
  (piece, isName) =>
    isName ? change(piece) : piece;
const between = (before: string, after: string): Change => name((value) => `${before}${value}${after}`);
const letters =
  (pairs: Readonly<Record<string, string>>): Change =>
  (piece) =>
    Array.from(piece, (letter) => pairs[letter] ?? letter).join('');
const withoutAccents = (value: string): string => value.normalize('NFD').replaceAll(/\p{M}/gu, '');

// What a text says stays the same, so the same names must be hidden.
const CHANGES: Readonly<Record<string, Change>> = {
  'no-break spaces': spaces('\u00a0'),
  'narrow no-break spaces': spaces('\u202f'),
  'thin spaces': spaces('\u2009'),
  'em spaces': spaces('\u2003'),
  'ideographic spaces': spaces('\u3000'),
  tabs: spaces('\t'),
  'double spaces': spaces('  '),
  'soft hyphens': inWords('\u00ad'),
  'zero-width spaces': inWords('\u200b'),
  'zero-width joiners': inWords('\u200d'),
  'zero-width non-joiners': inWords('\u200c'),
  'word joiners': inWords('\u2060'),
  'byte order marks': inWords('\ufeff'),
  'decomposed accents': (piece) => piece.normalize('NFD'),
  'full-width letters': (piece) => piece.replaceAll(/[a-zA-Z]/g, (unit) => String.fromCharCode(unit.charCodeAt(0) + 0xfee0)),
  'Cyrillic lookalikes': letters({ a: 'а', e: 'е', o: 'о', c: 'с', p: 'р' }),
  'Greek lookalikes': letters({ o: 'ο', A: 'Α', E: 'Ε', M: 'Μ' }),
  'typographic apostrophes': letters({ "'": '’' }),
  'names without accents': name(withoutAccents),
  'umlauts spelled out': name((value) => value.replaceAll(/[äöü]/gu, (vowel) => `${withoutAccents(vowel)}e`)),
  'all in lower case': (piece) => piece.toLowerCase(),
  'all in capitals': (piece) => piece.toUpperCase(),
  'names in lower case': name((value) => value.toLowerCase()),
  'names in capitals': name((value) => value.toUpperCase()),
  'names with hyphens': name((value) => value.replaceAll(' ', '-')),
  'names with a line break': name((value) => value.replaceAll(' ', '\n')),
  'names in double quotes': between('"', '"'),
  'names in single quotes': between('‘', '’'),
  'names in guillemets': between('« ', ' »'),
  'names in German quotes': between('„', '“'),
  'names in parentheses': between('(', ')'),
  'names in brackets': between('[', ']'),
  'names in asterisks': between('*', '*'),
  'names in bold': between('**', '**'),
  'names in italics': between('_', '_'),
  'names in angle brackets': between('<', '>'),
  'names after an at sign': between('@', ''),
  'names and an exclamation mark': between('', '!'),
  'names and a question mark': between('', '?'),
  'names and an ellipsis': between('', '…'),
  'names and a smiley': between('', ' 🙂'),
  'names between dashes': between('– ', ' –'),
  'names and a slash': between('', ' / '),
  'names and a colon': between('', ': '),
};

// A change of the whole sentence: what comes before and after it.
const FRAMES: Readonly<Record<string, readonly [before: string, after: string]>> = {
  'a greeting before': ['Hi all, ', ''],
  'a bullet before': ['- ', ''],
  'a number before': ['1. ', ''],
  'an emoji before': ['👍 ', ''],
  'a line before': ['7/10\n', ''],
  'a Windows line end': ['', '\r\n'],
  'a sentence after': ['', ' Nothing else.'],
  'dots after': ['', '....'],
};

/** Measures names with a full roster in sentences that are written in another way. */
export async function evaluateTransformations(masker: Masker, data: string): Promise<Row[]> {
  const sentences = LANGUAGES.flatMap((language) => {
    const all = writeSentences(data, language, 'second.');
    return all.slice(0, (all.length / 50) * SENTENCES_PER_TEMPLATE);
  });
  const rows: Row[] = [];
  const add = async (what: string, changed: readonly Sentence[]): Promise<void> => {
    rows.push({ name: `names hidden, ${what}`, goal: GOAL, figure: await hiddenNames(masker, changed) });
  };
  await add('as written', sentences);
  for (const [what, change] of Object.entries(CHANGES))
    await add(
      what,
      sentences.map((sentence) => transform(sentence, change)),
    );
  for (const [what, [before, after]] of Object.entries(FRAMES))
    await add(
      what,
      sentences.map((sentence) => frame(sentence, before, after)),
    );
  return rows;
}

async function hiddenNames(masker: Masker, sentences: readonly Sentence[]): Promise<string> {
  let [cases, hidden] = [0, 0];
  for (const { text, values, spans } of await maskSentences(masker, sentences, 1)) {
    for (const value of values) {
      cases += 1;
      if (isHidden(text, value, spans)) hidden += 1;
    }
  }
  return percentOfCases(hidden, cases);
}

function transform(sentence: Sentence, change: Change): Sentence {
  let text = '';
  let after = 0;
  const values: Value[] = [];
  for (const value of sentence.values) {
    text += change(sentence.text.slice(after, value.start), false);
    const written = change(sentence.text.slice(value.start, value.end), true);
    values.push({ ...value, start: text.length, end: text.length + written.length });
    text += written;
    after = value.end;
  }
  return { ...sentence, text: text + change(sentence.text.slice(after), false), values };
}

function frame(sentence: Sentence, before: string, after: string): Sentence {
  const values = sentence.values.map((value) => ({
    ...value,
    start: value.start + before.length,
    end: value.end + before.length,
  }));
  return { ...sentence, text: `${before}${sentence.text}${after}`, values };
}
