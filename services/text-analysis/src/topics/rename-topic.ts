import type { TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { assignDeferredTopics } from '../facts/apply-topic-assignments.ts';
import { renameTopic as rename } from './change-topics.ts';
import { findTopic } from './topics.ts';
import { changeTopics, checkNameIsFree, type TopicTools } from './change-topics.ts';
import { topicKey } from '../rules/topic-key.ts';
import { checkTopicName } from './topic-wording.ts';

/**
 * Renames a topic. Answers are joined with topic names on read, so the next call returns the new
 * name without a job (rule TEXTS-TOPICS-2). The words that match the topic do not change.
 */
export function renameTopic(tools: TopicTools): Handlers<TopicServiceDefinition>['renameTopic'] {
  return (request, call) => {
    const name = checkTopicName(request.name);
    return changeTopics(tools, call, async (scope) => {
      const { tx, accountId, state } = scope;
      const before = await findTopic(tx, accountId, request.topic);
      if (before.name === name) return { before, after: before };
      if (topicKey(before.name) !== topicKey(name)) await checkNameIsFree(scope, name);
      await rename(tx, accountId, before.topic_id, name);
      await assignDeferredTopics(tx, accountId, state, [`topic ${topicKey(name)}`]);
      return { before, after: await findTopic(tx, accountId, name), event: { subject: 'events.topic.renamed' } };
    });
  };
}
