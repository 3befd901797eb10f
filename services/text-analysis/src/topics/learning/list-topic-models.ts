import { inAccountSnapshot, type Client, type Pool } from '@survey/postgres/database.ts';
import { accountOf } from '@survey/rpc/call-context.ts';
import type { ListTopicModelsResponse, TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { listTopicModels as readTopicModels, readTopicModelState } from './topic-models.ts';

/** Lists the account's topic models, newest first. */
export function listTopicModels(pool: Pool): Handlers<TopicServiceDefinition>['listTopicModels'] {
  return (_request, call) => {
    const accountId = accountOf(call);
    return inAccountSnapshot(pool, accountId, (tx) => listModels(tx, accountId));
  };
}

export async function listModels(tx: Client, accountId: number): Promise<ListTopicModelsResponse> {
  const { decisions, decisionsThen } = await readTopicModelState(tx, accountId);
  return { models: await readTopicModels(tx, accountId), new_decisions: decisions - decisionsThen };
}
