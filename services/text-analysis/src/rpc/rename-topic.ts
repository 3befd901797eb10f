import type { TopicServiceService } from '@survey/rpc/gen/survey/text/v1/topics.ts';
import type { Handler } from '@survey/rpc/serve.ts';
import { assignTopics } from '../intake/apply-topic-assignments.ts';
import { renameTopic as rename } from '../sql/change-topic.ts';
import { findTopic } from '../sql/topics.ts';
import { takeAssignmentsDeferredFor } from '../sql/deferred-facts.ts';
import { changeTopics, checkNameIsFree, type TopicTools } from '../topics/change-topics.ts';
import { topicKey } from '../topics/topic-key.ts';
import { checkTopicName } from '../topics/topic-wording.ts';

/**
 * Answers are joined with their topics' names when they are read, so all of them have the new one from the next call on, and no job runs (rule TEXTS-TOPICS-2):
 * what shows the topic in an answer stays what it was.
 */
export function renameTopic(tools: TopicTools): Handler<TopicServiceService['renameTopic']> {
  return (request, call) => {
    const name = checkTopicName(request.name);
    return changeTopics(tools, call, async (scope) => {
      const { tx, accountId, state } = scope;
      const before = await findTopic(tx, accountId, request.topic);
      if (before.name === name) return { before, after: before };
      if (topicKey(before.name) !== topicKey(name)) await checkNameIsFree(scope, name);
      await rename(tx, accountId, before.topic_id, name);
      await assignTopics(tx, accountId, state, await takeAssignmentsDeferredFor(tx, accountId, [`topic ${topicKey(name)}`]));
      return { before, after: await findTopic(tx, accountId, name), event: { subject: 'events.topic.renamed' } };
    });
  };
}
