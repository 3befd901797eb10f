import { inAccount } from '@survey/postgres/database.ts';
import { accountOf } from '@survey/rpc/call-context.ts';
import type { TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { checkStage } from './check-stage.ts';
import { lockAccountState } from '../tables/account-state.ts';
import { requeueGivenUp } from './requeue-answers.ts';
import type { TopicTools } from '../topics/change-topics.ts';

/**
 * Queues the answers that a stage gave up, with their attempts reset. If the stage is off, they are
 * dropped; the backfill queues them when it is on again.
 */
export function retryText({ pool, wake }: TopicTools): Handlers<TopicServiceDefinition>['retryText'] {
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
