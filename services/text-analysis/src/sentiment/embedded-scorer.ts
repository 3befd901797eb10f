import type { Features } from '@survey/text/words/word-features.ts';
import type { TopicView } from '../topics/categoriser.ts';
import { namingWords, topicNames } from '../topics/keyword-matcher.ts';
import { createMatcherCache } from '../topics/matcher-cache.ts';
import { type Leaning, questionLeaning } from './question-leaning.ts';
import {
  clauseFeatures,
  declines,
  ownWords,
  readAnswer,
  type ReadAnswer,
  saysSomething,
  type TopicPlace,
} from './read-answer.ts';
import { isOpinion } from './subjects.ts';
import type { SentimentModel, SentimentModels } from './sentiment-models.ts';
import type { PairSentiment, SentimentScorer } from './sentiment-scorer.ts';
import { clauseShares, featureWeights } from './weigh-clauses.ts';

const NOT_SCORED: PairSentiment = { label: null, score: 0 };
// A bare `Nothing` says as little about what is good as about what is bad.
const NEUTRAL: PairSentiment = { label: 'neutral', score: 0 };

// Below these log odds of positive against negative, a neutral text has no leaning of its own, and
// the leaning of the question decides.
const UNDECIDED = 1;

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
    version: `rules-7+${version}`,
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
  const shares = clauseShares(answer.clauses, places, says);
  const middling = shares.reduce((sum, share, index) => sum + (answer.clauses[index]?.isMiddling === true ? share : -share), 0);
  if (middling > 0) return NEUTRAL;
  const weights = featureWeights(answer.clauses, shares, hidden);
  let [positive, negative, certain, isKnown] = [model?.bias.positive ?? 0, model?.bias.negative ?? 0, 0, false];
  for (const [index, clause] of answer.clauses.entries()) {
    const share = shares[index] ?? 0;
    if (share === 0) continue;
    const features = weigh(clauseFeatures(answer, clause, hidden, language), model);
    // Praise of the past is criticism of today.
    const turned = clause.isAboutPast && features.positive > features.negative;
    positive += (weights[index] ?? 0) * (turned ? features.negative : features.positive);
    negative += (weights[index] ?? 0) * (turned ? features.positive : features.negative);
    certain += share * clause.leaning * (clause.isAboutPast ? -1 : 1);
    isKnown ||= features.isKnown;
  }
  if (certain === 0 && !isKnown && question === 'none') return NOT_SCORED;
  positive += certain;
  negative -= certain;
  const isUndecided =
    Math.max(positive, negative) < 0 &&
    Math.abs(positive - negative) < UNDECIDED &&
    !answer.words.some((word, at) => !silent.has(at) && isOpinion(word, language));
  return question !== 'none' && isUndecided
    ? labelled(BY_QUESTION[question], -BY_QUESTION[question])
    : labelled(positive, negative);
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
