import { inAccount } from '@survey/postgres/database.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';
import type { ReassignTopicRequest, TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import { invalid, notFound } from '@survey/rpc/application-error.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { WHOLE_ACCOUNT, withReleased, type ReleaseContext } from '../release/released-answers.ts';
import { lockAccountState } from '../tables/account-state.ts';
import { countDecisions } from './learning/decided-answers.ts';
import { queueAnswers } from '../stages/queue-answers.ts';
import { answersOfTopic, moveAnswers, sortKeysOf } from './topic-answers.ts';
import { findTopic } from './topics.ts';
import type { TopicContext } from './change-topics.ts';

const MAX_ANSWERS = 200;

/**
 * Records an account admin's decision about answers, which always overrides automatically found
 * topics.
 * @throws ApplicationError `not_found` unless all answers are released and have the topic, so that
 * a call reveals nothing about answers that are not shown.
 */
export function reassignTopic(context: TopicContext & ReleaseContext): Handlers<TopicServiceDefinition>['reassignTopic'] {
  const { pool, wake } = context;
  return async (request, call) => {
    const { topic, into } = request;
    const accountId = accountOf(call);
    const answers = await findReleased(context, request, call);
    await inAccount(pool, accountId, async (tx) => {
      const { stages } = await lockAccountState(tx, accountId);
      const from = await findTopic(tx, accountId, topic);
      const target = into == null ? undefined : await findTopic(tx, accountId, into);
      if (target?.topic_id === from.topic_id) throw invalid('answers cannot be moved to their current topic');
      await moveAnswers(tx, accountId, answers, from.topic_id, target?.topic_id);
      await countDecisions(tx, accountId, answers.length);
      if (stages.has('sentiment')) await queueAnswers(tx, accountId, ['sentiment'], answers);
    });
    wake(accountId);
    return {};
  };
}

function findReleased(context: ReleaseContext, { handles, topic }: ReassignTopicRequest, call: CallContext): Promise<number[]> {
  if (handles.length < 1 || handles.length > MAX_ANSWERS) throw invalid(`handles must have 1 to ${MAX_ANSWERS} entries`);
  return withReleased(context, WHOLE_ACCOUNT, call, async ({ tx, accountId, released }) => {
    const { topic_id } = await findTopic(tx, accountId, topic);
    const ofTopic = await answersOfTopic(tx, accountId, topic_id);
    const ids = Array.from(released.ids.filter((id) => ofTopic.has(id)));
    const requestedHandles = new Set(handles);
    const answers = [...(await sortKeysOf(tx, accountId, ids))].flatMap(([id, sortKey]) =>
      requestedHandles.has(sortKey) ? [id] : [],
    );
    if (answers.length < requestedHandles.size) throw notFound('a handle matches no released answer about this topic');
    return answers;
  });
}
