import type { Word } from '@survey/text/words/read-words.ts';
import type { Features } from '@survey/text/words/word-features.ts';
import type { TopicView } from '../topics/categoriser.ts';
import { namingWords, topicNames } from '../topics/keyword-matcher.ts';
import { createMatcherCache } from '../topics/matcher-cache.ts';
import { type Leaning, questionLeaning } from './question-leaning.ts';
import {
  clauseFeatures,
  declines,
  countNaming,
  ownWords,
  readAnswer,
  type ReadAnswer,
  type ReadClause,
  saysSomething,
  type TopicPlace,
} from './read-answer.ts';
import { negatorsOf } from './negation.ts';
import { leaningOfWord } from './opinion-words.ts';
import { isOpinion, subjectsOf } from './subjects.ts';
import type { SentimentModel, SentimentModels } from './sentiment-models.ts';
import type { PairSentiment, SentimentScorer } from './sentiment-scorer.ts';
import { clauseShares, featureWeights } from './weigh-clauses.ts';

const NOT_SCORED: PairSentiment = { label: null, score: 0 };
// A bare `Nothing` says as little about what is good as about what is bad.
const NEUTRAL: PairSentiment = { label: 'neutral', score: 0 };

// The model knows parts of every word, so it guesses even where nothing is said. Few words that
// only name something need these log odds, which a word of an opinion among them brings; without
// them the question decides, also for some more words.
const GUESS = 1.5;
const LONGEST_NAME = 2;
const LONGEST_PHRASE = 3;
// Other text without words of an opinion needs these, chosen on half of the reviews of
// docs/text-evaluation.md.
const STATED = { praise: 0.5, criticism: 0.3 };
// The question decides such text only if the model tends the same way by these log odds.
const UNDECIDED = 0.8;

// The same array each time: matchers are cached by its identity.
interface OneTopic {
  readonly topics: readonly TopicView[];
  readonly names: ReadonlySet<string>;
}

/**
 * Scores a pair by the clauses around the topic's keywords and the rest of the answer; the question
 * decides what they leave open. Runs in this process.
 */
export function createEmbeddedScorer({ version, byLanguage }: SentimentModels): SentimentScorer {
  const matcherOf = createMatcherCache(namingWords);
  const alone = new WeakMap<TopicView, OneTopic>();
  const read = cacheLastReading();
  return {
    version: `rules-15+${version}`,
    score: ({ text, language, question, topic }) => {
      const answer = read(text, language);
      const isDenial = deniesQuestion(answer);
      if (isDenial && answer.clauses.length === 1) return Promise.resolve(NEUTRAL);
      const one = alone.get(topic) ?? { topics: [topic], names: new Set(topicNames(topic)) };
      alone.set(topic, one);
      const places = matcherOf(one.topics, language)
        .find(answer.words)
        .map(({ word, length, keyword }) => ({ start: word, end: word + length, isName: one.names.has(keyword) }));
      const leaning = question === undefined || isDenial ? 'none' : questionLeaning(question);
      return Promise.resolve(judge(answer, places, language, byLanguage.get(language), leaning));
    },
  };
}

// Log odds of negative for praise of the past, and of words of an opinion that nothing denies,
// chosen on the reviews of docs/text-evaluation.md.
const PAST_PRAISE = 1.5;
// Of positive, where something else than criticism has replaced that of the past.
const RECOVERED = 1.5;
const LEXICON = 0.7;

function judge(
  answer: ReadAnswer,
  places: readonly TopicPlace[],
  language: string,
  model: SentimentModel | undefined,
  question: Leaning,
): PairSentiment {
  const { silent, hidden } = ownWords(answer, places, language);
  const says = answer.clauses.map((clause) =>
    model === undefined ? clause.leaning !== 0 : saysSomething(answer, clause, silent, language),
  );
  if (!says.includes(true)) {
    if (model === undefined || answer.words.length === 0 || declines(answer)) return NOT_SCORED;
    return question === 'none' ? NEUTRAL : labelled(BY_QUESTION[question], -BY_QUESTION[question]);
  }
  const { shares, hasRecovered } = decisiveShares(answer, places, { says, silent, language });
  const middling = shares.reduce((sum, share, index) => sum + (answer.clauses[index]?.isMiddling === true ? share : -share), 0);
  if (middling > 0) return NEUTRAL;
  const weights = featureWeights(answer.clauses, shares, hidden);
  let [positive, negative, certain, said, isKnown] = [model?.bias.positive ?? 0, model?.bias.negative ?? 0, 0, 0, false];
  for (const [index, clause] of answer.clauses.entries()) {
    const share = shares[index] ?? 0;
    if (share === 0) continue;
    const features = weigh(clauseFeatures(answer, clause, hidden, language), model);
    // Praise of the past is criticism of today.
    const turned = clause.time === 'past' && features.positive > features.negative;
    positive += (weights[index] ?? 0) * (turned ? features.negative : features.positive);
    negative += (weights[index] ?? 0) * (turned ? features.positive : features.negative);
    if (clause.time !== 'past') said += share * opinionOf(answer, clause, hidden, language);
    certain += share * ((clause.time === 'past' ? Math.min(0, -clause.leaning) : clause.leaning) - (turned ? PAST_PRAISE : 0));
    isKnown ||= features.isKnown;
  }
  if (certain === 0 && !isKnown && question === 'none') return NOT_SCORED;
  if (hasRecovered) certain += RECOVERED;
  const mean = said / shares.reduce((sum, share) => sum + share, 0);
  const naming = countNaming(answer, silent, language);
  certain += (naming <= LONGEST_PHRASE ? GUESS : LEXICON) * mean;
  positive += certain;
  negative -= certain;
  const isSaid = (is: (word: Word) => boolean): boolean => answer.words.some((word, at) => !silent.has(at) && is(word));
  const isRated = certain !== 0 || isSaid((word) => isOpinion(word, language));
  if (!isRated && declines(answer)) return NOT_SCORED;
  const own = labelled(positive, negative);
  const needed = naming <= LONGEST_NAME ? GUESS : positive >= negative ? STATED.praise : STATED.criticism;
  if (isRated || Math.max(positive, negative) >= needed || isSaid(({ folded }) => negatorsOf(language).has(folded))) return own;
  const leaning = question === 'none' ? 0 : BY_QUESTION[question];
  const isAsked = leaning !== 0 && (naming <= LONGEST_PHRASE || Math.sign(leaning) * (positive - negative) > UNDECIDED);
  return isAsked ? labelled(leaning, -leaning) : { ...own, label: 'neutral' };
}

interface Reading {
  readonly says: readonly boolean[];
  readonly silent: ReadonlySet<number>;
  readonly language: string;
}

// Other clauses say nothing about a topic whose own clause has an opinion, and the past nothing
// about what a clause says about now.
function decisiveShares(
  answer: ReadAnswer,
  places: readonly TopicPlace[],
  reading: Reading,
): { readonly shares: readonly number[]; readonly hasRecovered: boolean } {
  const { words, clauses } = answer;
  const { says, silent, language } = reading;
  const shares = [...clauseShares(clauses, places, says)];
  const { stems } = subjectsOf(language);
  const opinion = clauses.map(
    ({ start, end, leaning }) =>
      leaning !== 0 || words.slice(start, end).some((word, offset) => !silent.has(start + offset) && isOpinion(word, language)),
  );
  let hasRecovered = false;
  for (const [index, clause] of clauses.entries()) {
    if (clause.time !== 'now' || says[index] !== true) continue;
    const before = index === 0 ? -1 : says.lastIndexOf(true, index - 1);
    const near = [before, says.indexOf(true, index + 1)].find((one) => clauses[one]?.time === 'past' && shares[one] === 1);
    if (near === undefined || (!opinion[index] && !opinion[near])) continue;
    const isOther = words
      .slice(clause.start, clause.end)
      .some((word, offset) => stems.has(word.stem) && !silent.has(clause.start + offset) && !isOpinion(word, language));
    if (isOther) continue;
    [shares[near], shares[index]] = [0, 1];
    hasRecovered ||= !opinion[index] && (clauses[near]?.leaning || opinionOf(answer, clauses[near], silent, language)) < 0;
  }
  const isDecided = places.length > 0 && shares.some((share, index) => share === 1 && opinion[index]);
  return { shares: isDecided ? shares.map((share) => (share === 1 ? 1 : 0)) : shares, hasRecovered };
}

// Words before and after one of an opinion among which a negation denies it.
const DENIED = 3;
const AFTER = 2;

function opinionOf({ words }: ReadAnswer, clause: ReadClause | undefined, hidden: ReadonlySet<number>, language: string): number {
  const deniers = negatorsOf(language);
  const { start, end } = clause ?? { start: 0, end: 0 };
  let sum = 0;
  for (let at = start; at < end; at++) {
    const word = words[at];
    if (word === undefined || hidden.has(at)) continue;
    const leaning = leaningOfWord(word, language);
    if (
      leaning === 0 ||
      words.slice(Math.max(start, at - DENIED), Math.min(end, at + 1 + AFTER)).some(({ folded }) => deniers.has(folded))
    )
      continue;
    sum += leaning;
  }
  return Math.sign(sum);
}

const BY_QUESTION: Readonly<Record<Exclude<Leaning, 'none'>, number>> = { positive: 0.4, negative: -0.4 };

function labelled(positive: number, negative: number): PairSentiment {
  const [up, down] = [Math.exp(Math.min(positive, 30)), Math.exp(Math.min(negative, 30))];
  const score = (up - down) / (up + down + 1);
  if (Math.max(positive, negative) < 0) return { label: 'neutral', score };
  return { label: positive >= negative ? 'positive' : 'negative', score };
}

function weigh(
  { buckets, weights }: Features,
  model: SentimentModel | undefined,
): { positive: number; negative: number; isKnown: boolean } {
  let positive = 0;
  let negative = 0;
  if (model === undefined) return { positive, negative, isKnown: false };
  for (const [index, bucket] of buckets.entries()) {
    const weight = weights[index] ?? 0;
    positive += weight * (model.weights[2 * bucket] ?? 0);
    negative += weight * (model.weights[2 * bucket + 1] ?? 0);
  }
  return { positive: positive * model.step, negative: negative * model.step, isKnown: positive !== 0 || negative !== 0 };
}

// The topics of an answer are scored in sequence, so their common part is computed once.
function cacheLastReading(): (text: string, language: string) => ReadAnswer {
  let last: { readonly text: string; readonly language: string; readonly answer: ReadAnswer } | undefined;
  return (text, language) => {
    if (last?.text !== text || last.language !== language) last = { text, language, answer: readAnswer(text, language) };
    return last.answer;
  };
}

const DENIALS: ReadonlySet<string> = new Set(
  `nothing none no nope nil na n a nobody at all really honestly nichts nix keine keiner nein gar uberhaupt eigentlich rien aucun aucune non du tout nada ninguno
  ninguna en absoluto niets geen niks nee helemaal nao nenhum nenhuma ingenting intet ingen nej inget inga`.split(/\s+/u),
);

/**
 * Checks whether an answer begins with a bare `Nothing`, so that the question's leaning does not
 * apply.
 */
function deniesQuestion({ words, clauses }: ReadAnswer): boolean {
  const first = clauses[0];
  return first !== undefined && words.slice(first.start, first.end).every(({ folded }) => DENIALS.has(folded));
}
