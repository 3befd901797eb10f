import { fold } from '@survey/text/words/fold.ts';
import { stem } from '@survey/text/words/stem.ts';
import type { Word } from '@survey/text/words/read-words.ts';
import { NARROW_TOPICS } from '../topics/starter/narrow-topics.ts';
import type { StarterLanguage } from '../topics/starter/starter-words.ts';
import { splitKeywords, STARTER_TOPICS } from '../topics/starter-topics.ts';
import { leaningOfWord, opinionWordsOf } from './opinion-words.ts';

/** What an answer is about, so that it says nothing about whether that is good. */
export interface Subjects {
  // Stems of what answers about work are about.
  readonly stems: ReadonlySet<string>;
  // Words without any meaning of their own.
  readonly empty: ReadonlySet<string>;
  // Those of them that only a statement has.
  readonly stating: ReadonlySet<string>;
}

// Articles, prepositions and conjunctions, and behind the bar pronouns and auxiliaries, which show
// that an answer states something: only these are in `What I like is the canteen`.
const EMPTY: Readonly<Record<StarterLanguage, string>> = {
  da: 'den det de en et min mit mine vores deres hans hendes i på om til fra med og af for som | jeg vi han hun er var har der',
  de: `der die das den dem des ein eine einen einem einer eines mein meine meinen meinem meiner unser unsere unseren unserem unserer ihr ihre sein seine im an am auf bei beim mit von vom zu
    zur zum fur in uber und hier da dass als so auch etwas bezuglich jetzt | ich wir man es er sie ist sind war waren hat haben habe`,
  en: `the a an my our your their his her its this that these those of in at on for with and or to here about as by from now than which when regarding concerning what s |
    is are was were be we i it there have has had do does get us me they he she you re ve m`,
  es: 'el la los las un una unos unas mi mis nuestro nuestra nuestros nuestras su sus de del en a al con por para y o e lo que como este esta sobre ahora | es son era eran ha hay se yo nos me',
  fr: `le la les l un une des d du de mon ma mes notre nos leur leurs son sa ses au aux a en dans sur pour par avec et ou cette ces que qu qui maintenant |
    est sont etait c ce il elle on nous je j y se s`,
  nl: `de het een mijn m n ons onze hun haar in op aan bij met van voor over en of hier dat die deze dit om te als dan nu |
    t is was waren heeft hebben heb er ik we wij je u men zijn`,
  pt: 'o a os as um uma uns umas meu minha meus minhas nosso nossa nossos nossas seu sua de do da dos das em no na nos nas com por para e ou que sobre | se eu me',
  sv: 'den det de en ett min mitt mina var vart vara deras hans hennes i pa om till fran med och av for som att | jag vi ar har',
};

const NONE: Subjects = { stems: new Set(), empty: new Set(), stating: new Set() };
const byLanguage = new Map<string, Subjects>();

/** Returns what answers in a language are usually about. */
export function subjectsOf(language: string): Subjects {
  const cached = byLanguage.get(language);
  if (cached !== undefined) return cached;
  const subjects = isStarterLanguage(language) ? readSubjects(language) : NONE;
  byLanguage.set(language, subjects);
  return subjects;
}

/** Checks whether a word expresses an opinion whatever it is about. */
export function isOpinion(word: Word, language: string): boolean {
  const { praise, criticism } = opinionWordsOf(language);
  return praise.has(word.folded) || criticism.has(word.folded) || leaningOfWord(word, language) !== 0;
}

function readSubjects(language: StarterLanguage): Subjects {
  const keywords = [
    ...STARTER_TOPICS.flatMap((topic) => topic.keywords[language]),
    ...NARROW_TOPICS.flatMap((topic) => splitKeywords(topic[language])),
  ];
  const names = STARTER_TOPICS.flatMap(({ names: { [language]: name } }) => name.split(/[^\p{L}\p{M}]+/u));
  const single = [...keywords, ...names].filter((keyword) => /^[\p{L}\p{M}]+$/u.test(keyword));
  const [empty, stating] = [EMPTY[language], EMPTY[language].split('|')[1] ?? ''].map(
    (words) => new Set(fold(words).split(/\s+/u)),
  ) as [Set<string>, Set<string>];
  const stems = single.filter((word) => !empty.has(fold(word))).map((word) => stem(word, language));
  return { stems: new Set(stems), empty, stating };
}

const isStarterLanguage = (language: string): language is StarterLanguage => language in EMPTY;
