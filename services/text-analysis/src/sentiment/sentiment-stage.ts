import { type StageDefinition, unchangedTexts } from '../stages/stage-definition.ts';
import { languageOf } from '@survey/text/words/language.ts';
import { isCategorisationOn } from '../tables/settings.ts';
import { queueUnscoredIn, readUnscoredPairs, saveSentiments, type UnscoredPair } from './unscored-pairs.ts';
import type { TopicView } from '../topics/categoriser.ts';
import type { FindTopicViews } from '../topics/topic-views.ts';
import type { Sentiment, SentimentScorer } from './sentiment-scorer.ts';

interface PairToScore {
  readonly topic: TopicView;
  readonly question: UnscoredPair['question'];
}

interface Scored {
  readonly topicId: number;
  readonly sentiment: Sentiment | null;
}

/**
 * Defines sentiment scoring as a stage. It scores pairs without a sentiment of this scorer, however
 * the topic was assigned. Sentiment stated in facts is never replaced.
 */
export function sentimentStage(
  scorer: SentimentScorer,
  findTopicViews: FindTopicViews,
): StageDefinition<readonly Scored[], ReadonlyMap<number, readonly PairToScore[]>> {
  return {
    stage: 'sentiment',
    basis: scorer.version,
    wantedVersion: async (tx, accountId) => ((await isCategorisationOn(tx, accountId)) ? scorer.version : null),
    queueOutdated: queueUnscoredIn,
    prepare: async (tx, accountId, answers) => {
      const topics = new Map((await findTopicViews(tx, accountId)).map((topic) => [topic.topicId, topic]));
      const pairs = await readUnscoredPairs(tx, accountId, scorer.version, answers);
      const ofTopics = pairs.flatMap(({ answer, topicId, question }) => {
        const topic = topics.get(topicId);
        return topic === undefined ? [] : [{ answer, topic, question }];
      });
      return Map.groupBy(ofTopics, ({ answer }) => answer);
    },
    perform: async (_accountId, _version, { id, text, expectedLanguage }, pairs) => {
      const language = languageOf(text, expectedLanguage);
      const scored = (pairs.get(id) ?? []).map(async ({ topic, question }): Promise<Scored> => {
        const { label } = await scorer.score({ text, language, topic, question: wordingIn(language, question) });
        return { topicId: topic.topicId, sentiment: label };
      });
      return Promise.all(scored);
    },
    save: async (tx, accountId, _state, version, done) => {
      const unchanged = await unchangedTexts(tx, accountId, done);
      const scored = done
        .filter(({ id }) => unchanged.has(id))
        .flatMap(({ id, result }) => result.map((pair) => ({ answer: id, ...pair })));
      await saveSentiments(tx, accountId, version, scored);
      // An answer that got another topic in the meantime remains pending.
      const unscoredIds = new Set((await readUnscoredPairs(tx, accountId, version, [...unchanged])).map(({ answer }) => answer));
      return [...unchanged].filter((id) => !unscoredIds.has(id));
    },
  };
}

// The question in the answer's language if it exists, else in any language.
function wordingIn(language: string, question: UnscoredPair['question']): string | undefined {
  return question?.[language] ?? question?.['en'] ?? Object.values(question ?? {})[0];
}
