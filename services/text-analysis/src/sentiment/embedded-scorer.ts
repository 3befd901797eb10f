import type { TopicView } from '../topics/categoriser.ts';
import { createMatcherCache } from '../topics/matcher-cache.ts';
import { type Leaning, questionLeaning } from './question-leaning.ts';
import { readAnswer, type ReadAnswer } from './read-answer.ts';
import type { SentimentModel, SentimentModels } from './sentiment-models.ts';
import type { PairSentiment, SentimentScorer } from './sentiment-scorer.ts';
import { weighClauses } from './weigh-clauses.ts';

const NOT_SCORED: PairSentiment = { label: null, score: 0 };
// A bare `Nothing` says as little about what is good as about what is bad.
const NEUTRAL: PairSentiment = { label: 'neutral', score: 0 };

// Shift of the log odds (natural logarithm) of positive against negative by the question's leaning.
const LEANING: Readonly<Record<Leaning, number>> = { positive: 2.5, negative: -2.5, none: 0 };

/**
 * Scores a pair by the clauses around the topic's keywords, the rest of the answer, and the
 * question. Runs in this process.
 */
export function createEmbeddedScorer({ version, byLanguage }: SentimentModels): SentimentScorer {
  const matcherOf = createMatcherCache();
  const alone = new WeakMap<TopicView, readonly TopicView[]>();
  const read = rememberLast();
  return {
    version,
    score: ({ text, language, question, topic }) => {
      const model = byLanguage.get(language);
      if (model === undefined) return Promise.resolve(NOT_SCORED);
      const answer = read(text, language, model);
      const topics = alone.get(topic) ?? [topic];
      alone.set(topic, topics);
      const places = matcherOf(topics, language).find(answer.words);
      const isDenial = deniesQuestion(answer);
      if (isDenial && answer.clauses.length === 1) return Promise.resolve(NEUTRAL);
      const leaning = question === undefined || isDenial ? 'none' : questionLeaning(question);
      return Promise.resolve(
        judge(
          answer,
          places.map(({ word }) => word),
          model,
          leaning,
        ),
      );
    },
  };
}

function judge(answer: ReadAnswer, places: readonly number[], model: SentimentModel, leaning: Leaning): PairSentiment {
  if (answer.words.length === 0 || (!answer.evidence && leaning === 'none')) return NOT_SCORED;
  const weights = weighClauses(answer.clauses, places);
  let positive = model.bias.positive + LEANING[leaning];
  let negative = model.bias.negative - LEANING[leaning];
  for (const [index, clause] of answer.clauses.entries()) {
    positive += clause.positive * (weights[index] ?? 0);
    negative += clause.negative * (weights[index] ?? 0);
  }
  const [up, down] = [Math.exp(Math.min(positive, 30)), Math.exp(Math.min(negative, 30))];
  const score = (up - down) / (up + down + 1);
  if (Math.max(positive, negative) < 0) return { label: 'neutral', score };
  return { label: positive >= negative ? 'positive' : 'negative', score };
}

// The topics of an answer are scored in sequence, so their common part is computed once.
function rememberLast(): (text: string, language: string, model: SentimentModel) => ReadAnswer {
  let last: { readonly text: string; readonly language: string; readonly answer: ReadAnswer } | undefined;
  return (text, language, model) => {
    if (last?.text !== text || last.language !== language) last = { text, language, answer: readAnswer(text, language, model) };
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
