import { inAccount, inAccountSnapshot, type Client, type Pool } from '@survey/postgres/database.ts';
import { accountOf } from '@survey/rpc/call-context.ts';
import type { TopicModel, TopicServiceDefinition, ListTopicModelsResponse } from '@survey/proto/text/v1/topics.ts';
import { conflict, notFound } from '@survey/rpc/application-error.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { lockAccountState } from '../../tables/account-state.ts';
import { readTopicModels, readTopicModelState, saveTopicModelState } from './topic-models.ts';
import type { TopicContext } from '../change-topics.ts';

/** Lists the account's topic models, newest first. */
export function listTopicModels(pool: Pool): Handlers<TopicServiceDefinition>['listTopicModels'] {
  return (_request, call) => {
    const accountId = accountOf(call);
    return inAccountSnapshot(pool, accountId, (tx) => listModels(tx, accountId));
  };
}

async function listModels(tx: Client, accountId: number): Promise<ListTopicModelsResponse> {
  const { decisions, decisionsThen } = await readTopicModelState(tx, accountId);
  return { models: await readTopicModels(tx, accountId), new_decisions: decisions - decisionsThen };
}

const NONE = 0;

/** Activates an earlier topic model, or none, until the next training. */
export function rollBackTopicModel({ pool, wake }: TopicContext): Handlers<TopicServiceDefinition>['rollBackTopicModel'] {
  return async ({ version }, call) => {
    const accountId = accountOf(call);
    const answer = await inAccount(pool, accountId, async (tx) => {
      await lockAccountState(tx, accountId);
      const learning = await readTopicModelState(tx, accountId);
      const targetVersion = version ?? versionBefore(learning.activeVersion, await readTopicModels(tx, accountId));
      if (targetVersion !== NONE && !(await readTopicModels(tx, accountId)).some((one) => one.version === targetVersion))
        throw notFound('the topic model has no such version: see surveyctl text model list');
      await saveTopicModelState(tx, accountId, { ...learning, activeVersion: targetVersion === NONE ? null : targetVersion });
      return listModels(tx, accountId);
    });
    wake(accountId);
    return answer;
  };
}

function versionBefore(active: number | null, models: readonly TopicModel[]): number {
  if (active === null) throw conflict('no topic model is active: topics are assigned by keywords only');
  return models.find((one) => one.version < active)?.version ?? NONE;
}
