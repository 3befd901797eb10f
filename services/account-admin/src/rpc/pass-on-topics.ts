import type { Pool } from '@survey/postgres/database.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';
import type { TopicChange, TopicServiceService } from '@survey/rpc/gen/survey/text/v1/topics.ts';
import type { RequestOf, ResponseOf } from '@survey/rpc/methods.ts';
import { busy } from '@survey/rpc/refusal.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import type { UnaryName, Upstream } from '@survey/rpc/upstream.ts';
import { UpstreamFault } from '@survey/rpc/upstream-fault.ts';
import { changeAccount, readAccount } from '../account.ts';
import { audit } from '../audit.ts';

type Methods = TopicServiceService;
type Name = UnaryName<Methods>;

/**
 * What operators do about topics and the work on texts: text-analysis does it, and here stands who did it. The account, which the caller names in the
 * metadata, must be there.
 */
export function passOnTopics(pool: Pool, text: Upstream<Methods>): Handlers<Methods> {
  const ask = async <K extends Name>(name: K, request: RequestOf<Methods[K]>, call: CallContext) => {
    await readAccount(pool, accountOf(call), () => Promise.resolve());
    return passOn(text, name, request, call);
  };
  const writeDown = async (call: CallContext, action: string, before: object | null, after: object | null): Promise<void> => {
    const accountId = accountOf(call);
    await changeAccount(pool, accountId, (client) => audit(client, call, { accountId, action, before, after }));
  };
  const changed = async (change: TopicChange, call: CallContext, action: string): Promise<TopicChange> => {
    const { before, after } = change;
    if (JSON.stringify(before) !== JSON.stringify(after)) await writeDown(call, action, before, after);
    return change;
  };
  return {
    listTopics: (request, call) => ask('listTopics', request, call),
    createTopic: async (request, call) => changed(await ask('createTopic', request, call), call, 'topic.create'),
    renameTopic: async (request, call) => changed(await ask('renameTopic', request, call), call, 'topic.rename'),
    mergeTopics: async (request, call) => changed(await ask('mergeTopics', request, call), call, 'topic.merge'),
    setTopicKeywords: async (request, call) => changed(await ask('setTopicKeywords', request, call), call, 'topic.keywords'),
    showTextStatus: (request, call) => ask('showTextStatus', request, call),
    rebuildText: async (request, call) => {
      const answer = await ask('rebuildText', request, call);
      // It comes in stretches: one entry for all of them.
      if (request.from_answer == null) await writeDown(call, 'text.rebuild', null, { stage: request.stage });
      return answer;
    },
    retryText: async (request, call) => {
      const answer = await ask('retryText', request, call);
      if (answer.queued > 0) await writeDown(call, 'text.retry', null, { stage: request.stage ?? 'all', queued: answer.queued });
      return answer;
    },
  };
}

async function passOn<K extends Name>(
  text: Upstream<Methods>,
  name: K,
  request: RequestOf<Methods[K]>,
  call: CallContext,
): Promise<ResponseOf<Methods[K]>> {
  try {
    return await text.call(name, request, {
      caller: call,
      deadlineMs: call.deadline.getTime() - Date.now(),
      signal: call.signal,
    });
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error;
    call.log.warn({ err: error, method: name }, 'text-analysis did not answer');
    throw busy('text-analysis does not answer for now: try again in a moment');
  }
}
