import type { Pool } from '@survey/postgres/database.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';
import type { TopicServiceService } from '@survey/rpc/gen/survey/text/v1/topics.ts';
import type { RequestOf } from '@survey/rpc/methods.ts';
import { invalid, ApplicationError } from '@survey/rpc/application-error.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import type { UnaryName, Upstream } from '@survey/rpc/upstream.ts';
import { withLockedAccount, withAccount } from '../account.ts';
import { callService } from '../call-service.ts';
import { audit } from '../audit.ts';

type Methods = TopicServiceService;
type Name = UnaryName<Methods>;

/**
 * Builds the handlers that forward an operator's calls to text-analysis. The account in the
 * metadata must exist. Changes are recorded in the audit before the call, so that a crash leaves no
 * unrecorded change.
 */
export function forwardTopicCalls(pool: Pool, text: Upstream<Methods>): Handlers<Methods> {
  const read = async <K extends Name>(name: K, request: RequestOf<Methods[K]>, call: CallContext) => {
    const accountId = accountOf(call);
    await withAccount(pool, call, accountId, () => Promise.resolve());
    return callService('text-analysis', call, accountId, (options) => text.call(name, request, options));
  };
  const change = async <K extends Name>(name: K, action: string, request: RequestOf<Methods[K]>, call: CallContext) => {
    const accountId = accountOf(call);
    if (JSON.stringify(request).includes(String.raw`\u0000`)) throw invalid('a text contains U+0000, which cannot be stored');
    const note = (action: string, after: object): Promise<void> =>
      withLockedAccount(pool, call, accountId, (client) => audit(client, call, { accountId, action, before: null, after }));
    await note(action, { ...request });
    try {
      return await callService('text-analysis', call, accountId, (options) => text.call(name, request, options));
    } catch (error) {
      if (error instanceof ApplicationError) await note(`${action}.refused`, { ...request, reason: error.message });
      throw error;
    }
  };
  return {
    listTopics: async (request, call) => {
      const list = await read('listTopics', request, call);
      // The number of all answers would tell an admin how many are not shown.
      return call.onBehalfOf?.kind === 'admin'
        ? { ...list, topics: list.topics.map((topic) => ({ ...topic, answers: 0 })) }
        : list;
    },
    createTopic: (request, call) => change('createTopic', 'topic.create', request, call),
    renameTopic: (request, call) => change('renameTopic', 'topic.rename', request, call),
    mergeTopics: (request, call) => change('mergeTopics', 'topic.merge', request, call),
    setTopicKeywords: (request, call) => change('setTopicKeywords', 'topic.keywords', request, call),
    countTopicAnswers: (request, call) => read('countTopicAnswers', request, call),
    listTopicAnswers: (request, call) => read('listTopicAnswers', request, call),
    reassignTopic: (request, call) => change('reassignTopic', 'topic.reassign', request, call),
    showTextStatus: (request, call) => read('showTextStatus', request, call),
    rebuildText: (request, call) => {
      // A rebuild takes several calls and gets one audit entry.
      if (request.from_answer != null) return read('rebuildText', request, call);
      return change('rebuildText', 'text.rebuild', request, call);
    },
    retryText: (request, call) => change('retryText', 'text.retry', request, call),
    listTopicModels: (request, call) => read('listTopicModels', request, call),
    rollBackTopicModel: (request, call) => change('rollBackTopicModel', 'text.model.rollback', request, call),
  };
}
