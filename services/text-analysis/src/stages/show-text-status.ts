import { inAccountSnapshot, type Pool } from '@survey/postgres/database.ts';
import { accountOf } from '@survey/rpc/call-context.ts';
import type { TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { readTextStatus, type StageModels } from './text-status.ts';

/** Returns the progress of each stage, and the answers that it gave up. */
export function showTextStatus(pool: Pool, models: readonly StageModels[]): Handlers<TopicServiceDefinition>['showTextStatus'] {
  return (_request, call) => {
    const accountId = accountOf(call);
    return inAccountSnapshot(pool, accountId, (tx) => readTextStatus(tx, accountId, models));
  };
}
