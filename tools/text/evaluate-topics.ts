import { join } from 'node:path';
import { createEmbeddedScorer } from '@survey/text-analysis/sentiment/embedded-scorer.ts';
import { loadSentimentModels } from '@survey/text-analysis/sentiment/sentiment-models.ts';
import type { SentimentScorer } from '@survey/text-analysis/sentiment/sentiment-scorer.ts';
import type { TopicView } from '@survey/text-analysis/topics/categoriser.ts';
import { type PolarityScores, polarityScores } from './evaluation/polarity-scores.ts';
import { RESTAURANT_TOPICS } from './evaluation/restaurant-topics.ts';
import { speed, worstHostile } from './evaluation/speed-report.ts';
import { suggestedOnly } from './evaluation/topic-answers.ts';
import { jointScore, mAbsaTopics, semevalTopics } from './evaluation/topics-report.ts';
import { printTable } from './print-table.ts';
import { readMAbsa } from './training/read-m-absa.ts';
import { readSentences } from './training/read-xml.ts';

// Prints the figures of topics and sentiment next to their goals.

const unnamedTopics = new Map<string, TopicView>();
const LANGUAGES = ['en', 'de', 'fr', 'es', 'nl'];
const MORE_LANGUAGES = ['pt', 'da', 'sv'];

await evaluate(process.argv[2] ?? '');

async function evaluate(data: string): Promise<void> {
  const scorer = createEmbeddedScorer(await loadSentimentModels());
  // Runs before the sets are read, so that only the memory of models and matchers is measured.
  const pace = [
    ['answers per second of CPU, 30 topics and their sentiment', Math.round(await speed(scorer)).toString(), '> 3,000'],
    ['worst 10,000 characters, ms of CPU', (await worstHostile(scorer)).toFixed(1), '≤ 50'],
    ['resident memory of the process, MB', Math.round(process.memoryUsage.rss() / 1e6).toString(), ''],
  ];
  printTable(['Topics (micro F1)', 'reached', 'goal'], await semevalTopics(data));
  const byLanguage = await inTurn(LANGUAGES, (language) => mAbsaTopics(data, 'restaurant', language));
  const named = await inTurn([...LANGUAGES, ...MORE_LANGUAGES], suggestedOnly);
  printTable(
    ['Topics (micro F1)', ...LANGUAGES, ...MORE_LANGUAGES, 'goal'],
    [['own answers, suggested keywords', ...named, '≥ 60']],
  );
  printTable(['Topics (micro F1)', ...LANGUAGES, 'goal'], [['M-ABSA restaurant, all labels', ...byLanguage, 'gap to en ≤ 3']]);
  printTable(
    ['Polarity', 'pairs', 'majority', '4-way', '3-way', 'two-way', 'negative recall', 'neutral recall', 'turned', 'goal'],
    await polarity(data, scorer),
  );
  const joint = ['SemEval-14 (topic, sentiment) F1, keywords', await jointScore(data, scorer), '≥ 62'];
  printTable(['Both, speed and memory', 'reached', 'goal'], [joint, ...pace]);
}

async function polarity(data: string, scorer: SentimentScorer): Promise<readonly (readonly string[])[]> {
  const restaurant = (category: string): TopicView =>
    RESTAURANT_TOPICS.find(({ name }) => name === category) ?? unnamed(category);
  const sets = [
    { name: 'SemEval-14', file: join('semeval2014', 'Restaurants_Train_v2.xml'), goal: '4-way ≥ 75' },
    { name: 'MAMS (validation)', file: join('mams', 'acsa_val.xml'), goal: '3-way ≥ 55' },
  ];
  const english = await inTurn(sets, async ({ name, file, goal }) => {
    const pairs = readSentences(join(data, file)).flatMap((sentence) => sentence.pairs);
    return polarityLine(name, await polarityScores(scorer, pairs, 'en', restaurant), goal);
  });
  const reviews = ['restaurant', 'laptop'].flatMap((domain) =>
    [...LANGUAGES, ...MORE_LANGUAGES].map((language) => ({ domain, language })),
  );
  const others = await inTurn(reviews, async ({ domain, language }) => {
    const texts = (['train', 'dev'] as const).flatMap((part) => readMAbsa(data, domain, language, part));
    const scores = await polarityScores(
      scorer,
      texts.flatMap(({ pairs }) => pairs),
      language,
      unnamed,
    );
    return polarityLine(`M-ABSA ${domain} ${language}`, scores, domain === 'restaurant' ? '3-way ≥ 80' : '');
  });
  return [...english, ...others];
}

// The topic names of the data rarely occur in the answers.
function unnamed(category: string): TopicView {
  const known = unnamedTopics.get(category) ?? {
    topicId: 1_000 + unnamedTopics.size,
    name: category,
    keywords: new Map(),
  };
  unnamedTopics.set(category, known);
  return known;
}

function polarityLine(name: string, scores: PolarityScores, goal: string): readonly string[] {
  const { pairs, majority, fourWay, threeWay, binary, negative, neutral, turned } = scores;
  return [
    name,
    pairs.toString(),
    ...[majority, fourWay, threeWay, binary, negative, neutral, turned].map((share) => share.toFixed(1)),
    goal,
  ];
}

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}
