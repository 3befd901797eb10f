import type { TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { WHOLE_ACCOUNT, withReleased, type ReleaseContext } from '../release/released-answers.ts';
import { readAnswers } from '../release/read-answers.ts';
import { answersOfTopic, countTopicAnswers as count, sortKeysOf } from './topic-answers.ts';
import { findTopic } from './topics.ts';

const MAX_LIMIT = 200;

/**
 * Lists the answers about a topic that GET /v1/text_responses returns now (rules TEXTS-THRESHOLD-1
 * and TEXTS-ORDER-1).
 */
export function listTopicAnswers(context: ReleaseContext): Handlers<TopicServiceDefinition>['listTopicAnswers'] {
  return ({ topic, limit, offset }, call) => {
    if (limit < 1 || limit > MAX_LIMIT || offset < 0) throw invalid(`limit must be 1 to ${MAX_LIMIT}, and offset at least 0`);
    return withReleased(context, WHOLE_ACCOUNT, call, async ({ tx, accountId, released, policy, deniedWords }) => {
      const { topic_id } = await findTopic(tx, accountId, topic);
      const ofTopic = await answersOfTopic(tx, accountId, topic_id);
      const all = released.ids.filter((id) => ofTopic.has(id));
      const ids = [...all.subarray(offset, offset + limit)];
      const handles = await sortKeysOf(tx, accountId, ids);
      const shown = await readAnswers(tx, accountId, ids, { policy, deniedWords });
      const answers = shown.map(({ text, topics }, index) => ({
        handle: handles.get(ids[index] ?? 0) ?? '',
        text,
        topics: topics.map(({ name }) => name),
      }));
      return { answers, total: all.length };
    });
  };
}

/** Counts the answers about each topic that GET /v1/text_responses returns now. */
export function countTopicAnswers(context: ReleaseContext): Handlers<TopicServiceDefinition>['countTopicAnswers'] {
  return (_request, call) =>
    withReleased(context, WHOLE_ACCOUNT, call, async ({ tx, accountId, ...units }) => ({
      counts: await count(tx, accountId, units),
    }));
}
