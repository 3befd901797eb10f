import { inAccount } from '@survey/postgres/database.ts';
import type { TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import { conflict, invalid } from '@survey/rpc/application-error.ts';
import { accountOf } from '@survey/rpc/call-context.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { lockAccountState, type Stage } from '../tables/account-state.ts';
import type { TopicContext } from '../topics/change-topics.ts';
import { deleteSentiment, requeueGivenUp, requeueRange } from './requeue-answers.ts';

/**
 * Queues the answers that a stage gave up, with their attempts reset. If the stage is off, they are
 * dropped; the backfill queues them when it is on again.
 */
export function retryText({ pool, wake }: TopicContext): Handlers<TopicServiceDefinition>['retryText'] {
  return async (request, call) => {
    const accountId = accountOf(call);
    const stage = request.stage == null ? null : checkStage(request.stage);
    const queued = await inAccount(pool, accountId, async (tx) => {
      await lockAccountState(tx, accountId);
      return requeueGivenUp(tx, accountId, stage);
    });
    wake(accountId);
    return { queued };
  };
}

// Answer ids per transaction, which takes some 100 ms.
const STRETCH = 20_000;

/**
 * Queues a range of answers for a stage, including those that have a result. Results are kept until
 * they are replaced, except sentiment, which is deleted first because a stage scores only pairs
 * without one.
 * @throws ApplicationError `conflict` when the stage is off.
 */
export function rebuildText({ pool, wake }: TopicContext): Handlers<TopicServiceDefinition>['rebuildText'] {
  return async (request, call) => {
    const accountId = accountOf(call);
    const stage = checkStage(request.stage);
    const from = request.from_answer ?? 0;
    const stretch = { from, to: from + STRETCH };
    const answer = await inAccount(pool, accountId, async (tx) => {
      const { stages, answers } = await lockAccountState(tx, accountId);
      if (!stages.has(stage)) throw conflict(`${stage} is off: see settings show`);
      if (stage === 'sentiment') await deleteSentiment(tx, accountId, stretch);
      const queued = await requeueRange(tx, accountId, stage, stretch);
      return { queued, next_answer: stretch.to < answers ? stretch.to : null };
    });
    wake(accountId);
    return answer;
  };
}

const STAGES: readonly Stage[] = ['mask', 'categorise', 'sentiment'];

/** Throws `invalid` for an unknown stage name. */
function checkStage(name: string): Stage {
  const stage = STAGES.find((one) => one === name);
  if (stage === undefined) throw invalid(`stage must be one of ${STAGES.join(', ')}`);
  return stage;
}
