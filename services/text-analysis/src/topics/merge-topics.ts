import { allowLongStatements } from '@survey/postgres/database.ts';
import type { TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { keepOldName, setSearchWords } from './change-topic-statements.ts';
import { forgetTopic, mergeAssignments } from './merge-assignments.ts';
import { queueAnswers } from '../stages/queue-answers.ts';
import { findTopic, type Keywords, type TopicRow } from './topics.ts';
import { changeTopics, type TopicTools } from './change-topics.ts';

const MAX_MERGE_MS = 60_000;

/**
 * Merges two topics. Where an answer has both, an account admin's decision overrides an automatic
 * one, and a removal stays a removal. The remaining topic is matched by the keywords of both.
 */
export function mergeTopics(tools: TopicTools): Handlers<TopicServiceDefinition>['mergeTopics'] {
  return ({ topic, into }, call) =>
    changeTopics(tools, call, async ({ tx, accountId, state }) => {
      const gone = await findTopic(tx, accountId, topic);
      const kept = await findTopic(tx, accountId, into);
      if (gone.topic_id === kept.topic_id) throw invalid('a topic cannot be merged into itself');
      // An account with millions of answers takes some seconds and blocks other writers meanwhile.
      await allowLongStatements(tx, MAX_MERGE_MS);
      const unscored = await mergeAssignments(tx, accountId, gone.topic_id, kept.topic_id);
      if (state.stages.has('sentiment')) await queueAnswers(tx, accountId, ['sentiment'], unscored);
      await keepOldName(tx, accountId, gone.topic_id, kept.topic_id);
      await forgetTopic(tx, accountId, gone.topic_id, kept.topic_id);
      await setSearchWords(tx, accountId, kept.topic_id, bothOf(kept, gone));
      state.taxonomy_version += 1;
      const event = { subject: 'events.topic.merged', mergedTopicId: gone.topic_id } as const;
      return { before: gone, after: await findTopic(tx, accountId, into), event };
    });
}

function bothOf(kept: TopicRow, gone: TopicRow): { keywords: Keywords; match_names: string[] } {
  const languages = [...new Set([...Object.keys(kept.keywords), ...Object.keys(gone.keywords)])];
  const keywords = languages.map((language) => [language, union(kept.keywords[language] ?? [], gone.keywords[language] ?? [])]);
  return { keywords: Object.fromEntries(keywords), match_names: union(kept.match_names, gone.match_names) };
}

function union(one: readonly string[], other: readonly string[]): string[] {
  return [...new Set([...one, ...other])];
}
