import type { Pool } from '@survey/postgres/database.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';
import type { TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import type { CallOptions, Upstream } from '@survey/rpc/upstream.ts';
import { withAccount } from '../with-account.ts';
import { callService } from '../call-service.ts';
import { auditChange, type AuditAction, requireReason } from '../write-audit.ts';

type Call<Q, A> = (request: Q, options: CallOptions) => Promise<A>;

/**
 * Builds the handlers that forward an operator's calls to text-analysis. The account in the
 * metadata must exist. Changes are recorded in the audit, with their outcome.
 */
export function forwardTopicCalls(pool: Pool, text: Upstream<TopicServiceDefinition>): Handlers<TopicServiceDefinition> {
  const read =
    <Q, A>(ask: Call<Q, A>) =>
    async (request: Q, call: CallContext): Promise<A> => {
      const accountId = accountOf(call);
      await withAccount(pool, call, accountId, () => Promise.resolve());
      return callService('text-analysis', call, accountId, (options) => ask(request, options));
    };
  const change =
    <Q extends object, A>(action: AuditAction, ask: Call<Q, A>) =>
    async (request: Q, call: CallContext): Promise<A> => {
      const accountId = accountOf(call);
      if (JSON.stringify(request).includes(String.raw`\u0000`)) throw invalid('a text contains U+0000, which cannot be stored');
      const describe = () => Promise.resolve({ action, before: null, after: { ...request } });
      return auditChange(pool, call, accountId, describe, () =>
        callService('text-analysis', call, accountId, (options) => ask(request, options)),
      );
    };
  const listTopics = read(text.listTopics);
  const [continueRebuild, startRebuild] = [read(text.rebuildText), change('text.rebuild', text.rebuildText)];
  return {
    listTopics: async (request, call) => {
      const list = await listTopics(request, call);
      // The number of all answers would tell an admin how many are not shown.
      return call.onBehalfOf === undefined ? list : { ...list, topics: list.topics.map((topic) => ({ ...topic, answers: 0 })) };
    },
    createTopic: change('topic.create', text.createTopic),
    renameTopic: change('topic.rename', text.renameTopic),
    mergeTopics: change('topic.merge', text.mergeTopics),
    setTopicKeywords: change('topic.keywords', text.setTopicKeywords),
    setTopicActive: change('topic.active', text.setTopicActive),
    explainKeywords: read(text.explainKeywords),
    countTopicAnswers: read(text.countTopicAnswers),
    listTopicAnswers: read(text.listTopicAnswers),
    reassignTopic: change('topic.reassign', text.reassignTopic),
    findAnswers: read(text.findAnswers),
    listWithheldAnswers: read(text.listWithheldAnswers),
    withholdAnswer: (request, call) => {
      const { handle, is_withheld, reason } = request;
      requireReason(reason, call);
      const accountId = accountOf(call);
      const action = is_withheld ? 'answer.withhold' : 'answer.release';
      return auditChange(
        pool,
        call,
        accountId,
        () => Promise.resolve({ action, before: null, after: { handle }, reason }),
        () => callService('text-analysis', call, accountId, (options) => text.withholdAnswer(request, options)),
      );
    },
    showTextStatus: read(text.showTextStatus),
    // A rebuild takes several calls and gets one audit entry.
    rebuildText: (request, call) => (request.from_answer == null ? startRebuild : continueRebuild)(request, call),
    retryText: change('text.retry', text.retryText),
    maskTexts: read(text.maskTexts),
    listTopicModels: read(text.listTopicModels),
    rollBackTopicModel: change('text.model.rollback', text.rollBackTopicModel),
  };
}
