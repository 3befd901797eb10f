import type { TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { assignDeferredTopics } from '../facts/apply-topic-assignments.ts';
import { insertTopics } from './topic-aliases.ts';
import { findTopic } from './topics.ts';
import { changeTopics, checkNameIsFree, type TopicTools } from './change-topics.ts';
import { topicKey } from '../rules/topic-key.ts';
import { suggestedKeywords } from './usual-topics.ts';
import { checkDescription, checkKeywords, checkTopicName } from './topic-wording.ts';

/**
 * Creates a topic and starts a backfill of all answers. A topic without keywords gets those of
 * usual topics that its name shows (rule TEXTS-TOPICS-4).
 * @throws ApplicationError `conflict` when another topic has the name (rule TEXTS-TOPICS-3).
 */
export function createTopic(tools: TopicTools): Handlers<TopicServiceDefinition>['createTopic'] {
  return (request, call) => {
    const name = checkTopicName(request.name);
    const description = checkDescription(request.description);
    const given = Object.entries(request.keywords).map(([language, { words }]) => [language, checkKeywords(language, words)]);
    const keywords = given.length > 0 ? Object.fromEntries(given) : suggestedKeywords(name);
    return changeTopics(tools, call, async (scope) => {
      const { tx, accountId, state } = scope;
      await checkNameIsFree(scope, name);
      state.topics += 1;
      state.taxonomy_version += 1;
      const key = topicKey(name);
      await insertTopics(tx, accountId, [{ id: state.topics, key, name, description, keywords }]);
      await assignDeferredTopics(tx, accountId, state, [`topic ${key}`]);
      return { after: await findTopic(tx, accountId, name), event: { subject: 'events.topic.created' } };
    });
  };
}
