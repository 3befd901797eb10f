import { normalise } from '@survey/text/words/normalise.ts';
import { readWords, type Word } from '@survey/text/words/read-words.ts';
import { wordFeatures } from '@survey/text/words/word-features.ts';
import { emojiLeaning, isEmoji } from './emoji.ts';
import { impliedFacts } from './implied-facts.ts';
import { negatorsOf } from './negation.ts';
import { type Time, timesOf } from './past.ts';
import { setPhrases } from './set-phrases.ts';
import { isOpinion, subjectsOf } from './subjects.ts';
import { type Clause, type Place, splitClauses } from './weigh-clauses.ts';

export interface ReadClause extends Clause {
  readonly time: Time;
  // Neither praises nor criticises: `so so`.
  readonly isMiddling: boolean;
  // Sum of what its emoji and set phrases add to the log odds of positive.
  readonly leaning: number;
}

export interface ReadAnswer {
  readonly words: readonly Word[];
  readonly clauses: readonly ReadClause[];
  // Words that the model does not see: emoji and set phrases.
  readonly unseen: ReadonlySet<number>;
}

// A letter that no answer contains: `readWords` reads it as a word.
const NO_OPINION = 'ꙮ';
const UNSURE = 'ꙭ';

// Both are written without a word about the topic, in any language.
const NOT_APPLICABLE =
  /(?<![\p{L}\p{N}])(?:n\s?\/\s?[acdr]|n\.\s?[ad]\.?|n\.?v\.?t|s\s?\/\s?[oc]|n\.?s\.?p|ns\s?\/\s?n[cr]|not applicable|(?:does\s?n['’o]t|doesnt|does not|do not|don['’]t) (?:apply|concern)(?: to)?(?: me| us)?|(?:no|without|don['’]t have an?|don['’]t have any|do not have an?|do not have any|have no|have not got an?) (?:real |strong |particular |personal )?(?:opinions?|comments?|views?|feelings|answer|preference)|nothing to (?:say|add|report)|keine?n? (?:angaben?|meinung|antwort|kommentare?|aussage|bewertung|bezug)|ohne (?:angaben?|meinung)|nicht zutreffend|trifft (?:auf mich )?nicht zu|entfällt|(?:betrifft|betreffen) mich nicht|nichts zu berichten|nicht (?:zu )?(?:beurteilen|bewerten)|sans (?:opinion|avis|objet|commentaires?|réponse)|(?:pas|aucune?|point) (?:d['’]\s?|de )?(?:opinion|avis|commentaires?|réponse)(?: particuli\p{L}+)?|non (?:applicable|concerné\p{L}*)|pas concerné\p{L}*|(?:ne )?me concerne pas|rien à signaler|(?:ne )?[ms]e prononce pas|sin (?:opinión|opinion|comentarios?|respuesta)|(?:no tengo|ninguna|sin) (?:una |ninguna )?(?:opinión|opinion|comentarios?)|no (?:aplica|procede|opino|corresponde|me afecta|va conmigo)|nada que señalar|geen (?:mening|commentaar|antwoord|opmerkingen|oordeel)|niet van toepassing|niets te melden|sem (?:opinião|comentários?)|não (?:se aplica|tenho opinião)|ingen (?:mening|åsikt|kommentar\p{L}*|holdning)|ikke relevant|ej (?:relevant|tillämpligt))(?![\p{L}\p{N}])\.?/giu;
// Abbreviations that are words in lower case, such as the Dutch `na`.
const ABBREVIATED = /(?<![\p{L}\p{N}])(?:N\.?A|R\.?A\.?S|[kK]\.?\s?A)(?![\p{L}\p{N}])\.?/gu;
const NOT_SURE =
  /(?<![\p{L}\p{N}])(?:(?:do not|don['’]t|dont|can['’]t|cannot|can not|couldn['’]t) (?:really )?(?:know|say|judge|tell|comment)(?: anything| much)?(?: about| on)?|(?:i['’]d |would )?(?:rather|prefer) not (?:to )?(?:say|answer|comment)|not sure|no idea|idk|dunno|(?:ich )?wei(?:ß|ss) (?:ich |es )?nicht|möchte ich nichts (?:zu )?sagen|keine ahnung|kann ich (?:dazu )?nichts (?:dazu |zu )?sagen|kann ich nicht (?:sagen|einschätzen)|(?:je )?(?:ne |n['’])?sais pas(?: trop| vraiment)?|(?:ne )?peux pas (?:en |me |l['’])?(?:juger|dire|prononcer|évaluer)|préfère ne pas (?:répondre|dire|me prononcer)|aucune idée|pas d['’]idée|no lo s[ée]|no sé|no se(?=\s*(?:[.,;!)]|$))|no sabr[ií]a (?:decir|opinar|valorar)|no puedo (?:opinar|valorar|juzgar|decir nada|evaluar)|prefiero no (?:opinar|contestar|decir)\p{L}*|ni idea|ninguna idea|weet (?:ik )?(?:het )?niet|kan ik (?:niets|niks) (?:over )?zeggen|zeg ik liever niet|liever niet|geen idee|não sei|ved (?:det )?ikke|vet (?:ej|inte))(?![\p{L}\p{N}])/giu;

// Log odds of emoji, which also decorate, and of set phrases.
const EMOJI = 2.5;
const PHRASE = 4;

export interface TopicPlace extends Place {
  // Whether these words are the topic's name or a part of it.
  readonly isName: boolean;
}

/** Part of an answer's sentiment that is common to all of its topics. */
export function readAnswer(text: string, language: string): ReadAnswer {
  // The superior `N+1` denies nothing.
  const words = readWords(markNoOpinion(normalise(text).text), language).map((word, index, all) =>
    word.folded === 'n' && /^\d/u.test(all[index + 1]?.folded ?? '') ? { ...word, folded: 'n+' } : word,
  );
  const unseen = new Set<number>();
  for (const [index, { folded }] of words.entries())
    if (isEmoji(folded) || folded === NO_OPINION || folded === UNSURE) unseen.add(index);
  const facts = impliedFacts(words, language);
  let next = 0;
  const places = splitClauses(words, language);
  const times = timesOf(words, places, language);
  const clauses = places.map((clause, index) => {
    const first = next;
    while ((facts[next]?.start ?? clause.end) < clause.end) next += 1;
    const implied = facts.slice(first, next);
    const phrases = implied.length > 0 ? implied : setPhrases(words, clause, language);
    for (const { start, end } of phrases) for (let at = start; at < end; at += 1) unseen.add(at);
    const clauseWords = words.slice(clause.start, clause.end);
    const emoji = clauseWords.reduce((sum, { folded }) => sum + emojiLeaning(folded), 0);
    const leaning = EMOJI * Math.sign(emoji) + phrases.reduce((sum, phrase) => sum + PHRASE * phrase.leaning, 0);
    const isOther = (word: Word, offset: number): boolean => !unseen.has(clause.start + offset) && isOpinion(word, language);
    const isMiddling = leaning === 0 && phrases.some((phrase) => phrase.leaning === 0) && !clauseWords.some(isOther);
    return { ...clause, leaning, isMiddling, time: implied.length > 0 && times[index] === 'past' ? undefined : times[index] };
  });
  return { words, clauses, unseen };
}

/**
 * Checks whether a clause says anything about its subjects: whether a word remains when the
 * subjects, words without a meaning of their own, and statements of no opinion are left out.
 */
export function saysSomething(
  { words }: ReadAnswer,
  { start, end, leaning, isMiddling }: ReadClause,
  silent: ReadonlySet<number>,
  language: string,
): boolean {
  if (leaning !== 0 || isMiddling) return true;
  const clauseWords = words.slice(start, end);
  if (clauseWords.some(({ folded }) => folded === NO_OPINION)) return false;
  const { stems, empty } = subjectsOf(language);
  const negators = negatorsOf(language);
  const isDenied = clauseWords.some(({ folded }) => negators.has(folded));
  return clauseWords.some((word, offset) => {
    const { folded } = word;
    if (folded === UNSURE) return false;
    // `no parking` says something, `the parking` does not.
    if (silent.has(start + offset) || (stems.has(word.stem) && !isOpinion(word, language))) return isDenied;
    return !empty.has(folded) && !negators.has(folded);
  });
}

/** Checks whether an answer says anywhere that there is no opinion. */
export const declines = ({ words }: ReadAnswer): boolean =>
  words.some(({ folded }) => folded === NO_OPINION || folded === UNSURE);

/**
 * Counts the words of an answer that only names something, of which those about the topic count as
 * one; Infinity where a pronoun or auxiliary shows that it states something.
 */
export function countNaming({ words, unseen }: ReadAnswer, silent: ReadonlySet<number>, language: string): number {
  const { empty, stating } = subjectsOf(language);
  const others = words.filter((_, at) => !silent.has(at));
  if (others.some(({ folded }) => stating.has(folded))) return Infinity;
  return others.filter(({ folded }) => !empty.has(folded)).length + (silent.size > unseen.size ? 1 : 0);
}

interface OwnWords {
  // Words without a leaning of their own: the topic's, and those that the model does not see.
  readonly silent: ReadonlySet<number>;
  // Those of them that the model does not see, because one noun must not be better than another.
  readonly hidden: ReadonlySet<number>;
}

/**
 * Finds the words that name a topic and are therefore not an opinion about it. The model
 * does not see them either, except keywords that are no usual subject, such as the verb `waited`.
 */
export function ownWords({ words, unseen }: ReadAnswer, places: readonly TopicPlace[], language: string): OwnWords {
  const { stems } = subjectsOf(language);
  const silent = new Set(unseen);
  const hidden = new Set(unseen);
  for (const { start, end, isName } of places) {
    const placeWords = words.slice(start, end);
    // An opinion may be a keyword as well: `toxic` finds the topic Culture and also judges it.
    if (!isName && placeWords.some((word) => isOpinion(word, language))) continue;
    const isHidden = isName || placeWords.every((word) => stems.has(word.stem));
    for (let at = start; at < end; at += 1) {
      silent.add(at);
      if (isHidden) hidden.add(at);
    }
  }
  return { silent, hidden };
}

/** Features of a clause for the model. */
export const clauseFeatures = (
  { words }: ReadAnswer,
  clause: Clause,
  hidden: ReadonlySet<number>,
  language: string,
): ReturnType<typeof wordFeatures> => wordFeatures(words, clause, { negators: negatorsOf(language), hidden });

// Replaces statements that there is no opinion by one word each: NO_OPINION or UNSURE.
function markNoOpinion(text: string): string {
  return text.replace(ABBREVIATED, ` ${NO_OPINION} `).replace(NOT_APPLICABLE, ` ${NO_OPINION} `).replace(NOT_SURE, ` ${UNSURE} `);
}
