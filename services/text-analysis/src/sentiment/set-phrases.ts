import { readKinds } from '@survey/text/masking/read-list.ts';
import { fold } from '@survey/text/words/fold.ts';
import type { Word } from '@survey/text/words/read-words.ts';
import { stem } from '@survey/text/words/stem.ts';
import { deniersOf, negatorsOf } from './negation.ts';
import { leaningOfWord, opinionWordsOf } from './opinion-words.ts';
import { subjectsOf } from './subjects.ts';

/** Words of a clause that mean something else together than each of them does. */
export interface SetPhrase {
  // Word indexes; the end is exclusive.
  readonly start: number;
  readonly end: number;
  // 0 for neither praise nor criticism: `so so`.
  readonly leaning: 1 | 0 | -1;
}

interface Idiom {
  readonly words: readonly string[];
  readonly leaning: SetPhrase['leaning'];
}

interface Idioms {
  // Between a negation and what it denies: `not [bad at] all`.
  readonly fillers: ReadonlySet<string>;
  // What praises when it is denied, in addition to words of criticism: `nothing to [complain]`.
  readonly complaints: ReadonlySet<string>;
  // By their first word, the longest first.
  readonly phrases: ReadonlyMap<string, readonly Idiom[]>;
}

const LEANINGS = { '+': 1, '-': -1, '=': 0 } as const;
const IDIOMS: ReadonlyMap<string, Idioms> = new Map(
  [...Map.groupBy(readKinds('lists/idioms.txt'), ({ language }) => language)].map(([language, lines]) => {
    const listed = (kind: string): string[] => lines.filter((line) => line.kind === kind).map(({ words }) => words);
    return [
      language,
      {
        fillers: wordSet(listed('FILLERS').join(' ')),
        complaints: new Set([...wordSet(listed('COMPLAINTS').join(' '))].flatMap((word) => [word, stem(word, language)])),
        phrases: byFirstWord(
          Object.entries(LEANINGS).flatMap(([sign, leaning]) => listed(sign).flatMap((phrases) => idioms(phrases, leaning))),
        ),
      },
    ];
  }),
);

// Other negations also deny what is wanted: `no overtime pay` is not praise.
const BEFORE_ADJECTIVES = wordSet(
  'not t never isnt wasnt arent nothing nobody nicht nie niemals nichts nix niemand ned net keineswegs pas jamais personne rien no nunca nada nadie tampoco niet nooit niets niks niemand nao ikke aldrig inte',
);
const OR = wordSet('or nor neither noch weder oder ni ou o of en niet noch nem eller och og ikke inte');
// They deny what follows at once, praise too.
const OPPOSITES = byFirstWord(
  idioms(
    'far from, anything but, alles andere als, weit davon entfernt, loin d etre, loin de, tout sauf, lejos de, todo menos, cualquier cosa menos, verre van, allesbehalve, alles behalve, lang niet',
    -1,
  ),
);
// What cannot be better is as good as it gets: `could hardly be better`, `kan nauwelijks slechter`.
const BEST = wordSet('better besser mieux meilleur meilleure meilleurs meilleures mejor mejores beter');
const WORST = wordSet('worse schlechter schlimmer pire pires peor peores slechter erger');
const MODALS = wordSet(
  'could can couldn konnte konnten kann konnen pourrait pourraient peut podria podrian puede pueden kan kon kunnen zou',
);
const SCARCELY = wordSet('hardly scarcely barely kaum guere difficilement apenas dificilmente nauwelijks amper');
const TO_BE = wordSet('be been sein werden etre ser estar zijn worden');
const IN_LIMIT = wordSet('get any much it es das die der wirklich fast bijna haast echt la le les se');
const LONGEST_LIMIT = 8;
const LESS = wordSet('less fewer weniger moins menos minder mindre faerre farre');
// Of which less is better, if it is so already: `less noise` alone may be a wish.
const BURDENS = wordSet(
  `noise overtime bureaucracy paperwork pressure waiting conflicts chaos errors mistakes delays interruptions queues gossip lärm krach überstunden bürokratie papierkram druck
  wartezeit wartezeiten konflikte streit hektik stress fehler verzögerungen unterbrechungen bruit bureaucratie paperasse pression attente conflits erreurs retards ruido burocracia papeleo
  presión esperas conflictos errores retrasos caos estrés lawaai overuren papierwerk druk werkdruk wachttijd wachttijden conflicten fouten vertragingen`,
);
const ALREADY = wordSet(
  'since now than today seit seitdem jetzt nun als heute depuis maintenant que qu aujourd desde ahora hoy sinds nu dan vandaag',
);
// Words of a denied complaint.
const LONGEST = 9;
const LONGEST_PAIR = 7;
// Fillers between a denial and an idiom, and the idiom.
const FILLED = 3;
// `nobody comes, and it is bad` denies nothing bad.
const CONJUNCTIONS = wordSet('and when which that what than as und als dass so et que qu qui si y e lo dat dan och');
const A = wordSet('a ein un um een en lidt');
const BEFORE_VERBS = wordSet('ne n nobody niemand keiner personne nadie se');
// Nobody likes `the noise`, but `the worst` is denied.
const DEFINITE = wordSet('the our die den unsere le la les el los las nuestros nuestras het onze');
const SUPERLATIVE = /st(?:e[nrs]?)?$|^(?:pire|peor)/u;
// `pas mal de problèmes` counts.
const COUNTING = wordSet('de d');

/** Finds idioms, and denied complaints such as `not bad at all` and `nichts zu meckern`. */
export function setPhrases(
  words: readonly Word[],
  { start, end }: { readonly start: number; readonly end: number },
  language: string,
): readonly SetPhrase[] {
  const idioms = IDIOMS.get(language);
  const matches: SetPhrase[] = [];
  if (idioms === undefined) return matches;
  for (let at = start; at < end; at += 1) {
    const phrase =
      limitAt(words, at, end, language) ??
      pairAt(words, at, end, language) ??
      denied(words, { start, end }, language, idiomAt(words, at, end, idioms.phrases), idioms.fillers) ??
      oppositeAt(words, at, end, language) ??
      deniedOpinionAt(words, { first: matches.at(-1)?.end ?? start, start: at, end }, language, idioms);
    if (phrase === undefined) continue;
    matches.push(phrase);
    at = phrase.end - 1;
  }
  return matches;
}

function idiomAt(words: readonly Word[], start: number, end: number, known: Idioms['phrases']): SetPhrase | undefined {
  const idiom = known.get(words[start]?.folded ?? '')?.find((one) => isAt(words, start, end, one.words));
  return idiom && { start, end: start + idiom.words.length, leaning: idiom.leaning };
}

// A modal verb, a denial and a comparative, in any order; only German begins with the comparative.
function limitAt(words: readonly Word[], start: number, end: number, language: string): SetPhrase | undefined {
  const { stems } = subjectsOf(language);
  let [isDenied, hasModal, isBeing, leaning]: [boolean, boolean, boolean, 1 | -1 | undefined] = [false, false, false, undefined];
  for (let at = start; at < Math.min(end, start + LONGEST_LIMIT); at += 1) {
    const word = words[at]?.folded ?? '';
    const denies = deniersOf(language).has(word) || SCARCELY.has(word);
    const degree = BEST.has(word) ? 1 : WORST.has(word) ? -1 : undefined;
    const isPart = denies || MODALS.has(word) || degree !== undefined;
    if (at === start ? !isPart || (degree !== undefined && language !== 'de') : !isPart && !isBetween(words[at], stems)) break;
    isDenied ||= denies;
    hasModal ||= MODALS.has(word);
    isBeing ||= TO_BE.has(word);
    leaning ??= degree;
    // `could not be better organised` is praise, `cannot get better tools` is not.
    if (isDenied && hasModal && leaning !== undefined)
      return isBeing || isLast(words, at, end, language) || TO_BE.has(words[at + 1]?.folded ?? '')
        ? { start, end: at + 1, leaning }
        : undefined;
  }
  return undefined;
}

const isBetween = (word: Word | undefined, stems: ReadonlySet<string>): boolean =>
  word !== undefined && (TO_BE.has(word.folded) || IN_LIMIT.has(word.folded) || stems.has(word.stem));

// `neither good nor bad`, which is middling, and `neither friendly nor fair`, which is criticism.
function pairAt(words: readonly Word[], start: number, end: number, language: string): SetPhrase | undefined {
  if (!deniersOf(language).has(words[start]?.folded ?? '')) return undefined;
  const { praise, criticism } = opinionWordsOf(language);
  let [first, isJoined]: [boolean | undefined, boolean] = [undefined, false];
  for (let at = start + 1; at < Math.min(end, start + LONGEST_PAIR); at += 1) {
    const word = words[at]?.folded ?? '';
    isJoined ||= first !== undefined && OR.has(word);
    if (!praise.has(word) && !criticism.has(word)) continue;
    const isPraise = praise.has(word);
    if (isJoined) return { start, end: at + 1, leaning: isPraise !== first ? 0 : isPraise ? -1 : 1 };
    if (first !== undefined && first !== isPraise) return undefined;
    first = isPraise;
  }
  return undefined;
}

// An idiom behind a denial says the opposite: `lässt uns nie im Stich`, `pas très correct`; what is
// not even middling is criticised. `on average` says nothing.
function denied(
  words: readonly Word[],
  { start, end }: { readonly start: number; readonly end: number },
  language: string,
  idiom: SetPhrase | undefined,
  fillers: ReadonlySet<string>,
): SetPhrase | undefined {
  if (idiom === undefined || (idiom.leaning === 0 && !isLast(words, idiom.end - 1, end, language))) return undefined;
  let before = idiom.start - 1;
  while (idiom.start - before < FILLED && fillers.has(words[before]?.folded ?? '')) before--;
  if (before < start || !deniersOf(language).has(words[before]?.folded ?? '')) return idiom;
  return { start: before, end: idiom.end, leaning: idiom.leaning < 0 ? 1 : -1 };
}

const isAt = (words: readonly Word[], start: number, end: number, phrase: readonly string[]): boolean =>
  start + phrase.length <= end && phrase.every((part, offset) => words[start + offset]?.folded === part);

// At most one word between: `far from being bad`.
function oppositeAt(words: readonly Word[], start: number, end: number, language: string): SetPhrase | undefined {
  const opposite = idiomAt(words, start, end, OPPOSITES);
  if (opposite === undefined) return undefined;
  const { praise, criticism } = opinionWordsOf(language);
  for (let at = opposite.end; at < Math.min(end, opposite.end + 2); at += 1) {
    const word = words[at]?.folded ?? '';
    if (criticism.has(word)) return { start, end: at + 1, leaning: 1 };
    if (praise.has(word)) return { start, end: at + 1, leaning: -1 };
  }
  return undefined;
}

// Words of criticism that are denied, `nothing in it is bad`, and of both kinds before a denial at
// the end: `Langweilig wird es nie`, `Sauber ist sie nicht`.
function deniedOpinionAt(
  words: readonly Word[],
  { first, start, end }: { readonly first: number; readonly start: number; readonly end: number },
  language: string,
  { fillers, complaints }: Idioms,
): SetPhrase | undefined {
  const denier = words[start]?.folded ?? '';
  const isDenier = deniersOf(language).has(denier);
  // `a little noisy` denies nothing.
  const isLittle = negatorsOf(language).has(denier) && !A.has(words[start - 1]?.folded ?? '');
  if (!isDenier && !isLittle && !LESS.has(denier)) return undefined;
  const { empty, stems } = subjectsOf(language);
  const isComplaintAt = (at: number): boolean => complaints.has(words[at]?.folded ?? '') || complaints.has(words[at]?.stem ?? '');
  const leaningAt = (at: number): number => {
    const word = words[at];
    return word === undefined ? 0 : isComplaintAt(at) ? -1 : leaningOfWord(word, language);
  };
  // Between a denial and what it denies; `nobody helps with problems` denies the help.
  const isBetween = (at: number): boolean => {
    const { folded, stem: inflected } = words[at] ?? { folded: '', stem: '' };
    if (fillers.has(folded) || deniersOf(language).has(folded)) return true;
    if (empty.has(folded)) return !CONJUNCTIONS.has(folded);
    return stems.has(inflected) && leaningAt(at) === 0 && !BEFORE_VERBS.has(words[at - 1]?.folded ?? '');
  };
  let isLastSaid = true;
  for (let at = start + 1; at < Math.min(end, start + LONGEST); at += 1) {
    const word = words[at]?.folded ?? '';
    const isCriticism = leaningAt(at) < 0 && (!DEFINITE.has(words[at - 1]?.folded ?? '') || SUPERLATIVE.test(word));
    // `no stress` is praise, `no overtime pay` is not.
    const isComplaint =
      (isCriticism && isComplaintAt(at)) ||
      (BEFORE_ADJECTIVES.has(denier) && isOpposite(word, language)) ||
      (isCriticism && (BEFORE_ADJECTIVES.has(denier) || isLast(words, at, end, language))) ||
      (LESS.has(denier) && (isCriticism || BURDENS.has(word)) && ALREADY.has(words[at + 1]?.folded ?? ''));
    if (isComplaint && !(language === 'fr' && word === 'mal' && COUNTING.has(words[at + 1]?.folded ?? '')))
      return { start, end: at + 1, leaning: 1 };
    isLastSaid &&= !stems.has(words[at]?.stem ?? '');
    if (!isBetween(at)) return undefined;
  }
  if (!isDenier || !isLastSaid || end - start > LONGEST) return undefined;
  for (let at = start - 1; at >= Math.max(first, start - LONGEST); at -= 1) {
    const leaning = leaningAt(at);
    if (leaning !== 0) return { start: at, end: start + 1, leaning: leaning < 0 ? 1 : -1 };
    if (!isBetween(at)) return undefined;
  }
  return undefined;
}

// Unreasonable, unfreundliche, onvriendelijk, désagréable, incómodo.
const isOpposite = (word: string, language: string): boolean => {
  const [, folded] = /^(?:un|on|in|im|des?|dis)(\p{L}{4,})$/u.exec(word) ?? [];
  return folded !== undefined && leaningOfWord({ folded, stem: stem(folded, language) }, language) > 0;
};

function isLast(words: readonly Word[], at: number, end: number, language: string): boolean {
  const next = at + 1 < end ? words[at + 1] : undefined;
  return next === undefined || subjectsOf(language).empty.has(next.folded) || deniersOf(language).has(next.folded);
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(fold(words).split(/\s+/u));
}

function idioms(list: string, leaning: Idiom['leaning']): readonly Idiom[] {
  return list.split(/\s*,\s*/u).map((phrase) => ({ words: phrase.split(' '), leaning }));
}

function byFirstWord(all: readonly Idiom[]): ReadonlyMap<string, readonly Idiom[]> {
  return Map.groupBy(
    [...all].sort((a, b) => b.words.length - a.words.length),
    ({ words }) => words[0] ?? '',
  );
}
