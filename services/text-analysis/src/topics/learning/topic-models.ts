import { type Client, type Pool, type Queryable, inAccount, inAccountSnapshot } from '@survey/postgres/database.ts';
import { markDue } from '@survey/postgres/due.ts';
import { TIMELINE } from '@survey/postgres/replica/timeline.ts';
import type { TopicModel, TopicServiceDefinition, ListTopicModelsResponse } from '@survey/proto/text/v1/topics.ts';
import { accountOf } from '@survey/rpc/call-context.ts';
import { conflict, notFound } from '@survey/rpc/application-error.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { lockAccountState } from '../../tables/account-state.ts';
import type { TopicContext } from '../change-topics.ts';

/** Returns the accounts with enough new decisions since the last training. */
export async function accountsToTrain(pool: Pool, leastDecisions: number): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>('select id from text.accounts_to_train($1) as id', [leastDecisions]);
  return rows.map(({ id }) => id);
}

export interface TopicModelState {
  // Null: topics are matched only by keywords.
  readonly activeVersion: number | null;
  readonly lastVersion: number;
  // Database timeline; it assigns each version only once.
  readonly timeline: number;
  // Number of account admins' decisions: in total, and at the last training or rollback.
  readonly decisions: number;
  readonly decisionsThen: number;
}

export async function readTopicModelState(db: Queryable, accountId: number): Promise<TopicModelState> {
  const { rows } = await db.query<TopicModelState>(
    `select l.active_version as "activeVersion", coalesce(l.last_version, 0) as "lastVersion",
       coalesce(s.decisions, 0) as decisions, coalesce(l.decisions, 0) as "decisionsThen", ${TIMELINE} as timeline
     from (values ($1::bigint)) a (account_id)
     left join text.account_state s on s.account_id = a.account_id
     left join text.topic_model_state l on l.account_id = a.account_id`,
    [accountId],
  );
  if (rows[0] === undefined) throw new Error('expected one row');
  return rows[0];
}

export async function saveTopicModelState(
  tx: Client,
  accountId: number,
  { activeVersion, lastVersion, decisions }: Omit<TopicModelState, 'decisionsThen' | 'timeline'>,
): Promise<void> {
  await tx.query(
    `insert into text.topic_model_state (account_id, active_version, last_version, decisions) values ($1, $2, $3, $4)
     on conflict (account_id) do update set active_version = excluded.active_version, last_version = excluded.last_version,
       decisions = excluded.decisions`,
    [accountId, activeVersion, lastVersion, decisions],
  );
  await markDue(tx, 'text', 'backfill', [accountId]);
}

interface TrainedTopicModel {
  readonly version: number;
  readonly model: Uint8Array;
  readonly examples: number;
  readonly keywordsF1: number;
  readonly learnedF1: number;
}

export async function insertTopicModel(tx: Client, accountId: number, trained: TrainedTopicModel): Promise<void> {
  const { version, model, examples, keywordsF1, learnedF1 } = trained;
  await tx.query(
    `insert into text.topic_model (account_id, version, model, examples, keywords_f1, model_f1) values ($1, $2, $3, $4, $5, $6)`,
    [accountId, version, Buffer.from(model), examples, keywordsF1, learnedF1],
  );
}

/** Deletes all models except the newest `kept` and the active one. */
export async function deleteOldTopicModels(tx: Client, accountId: number, kept: number): Promise<void> {
  await tx.query(
    `delete from text.topic_model where account_id = $1
       and version not in (select version from text.topic_model where account_id = $1 order by version desc limit $2)
       and version is distinct from (select active_version from text.topic_model_state where account_id = $1)`,
    [accountId, kept],
  );
}

export async function readModel(db: Queryable, accountId: number, version: number): Promise<Uint8Array> {
  const { rows } = await db.query<{ model: Buffer }>(
    'select model from text.topic_model where account_id = $1 and version = $2',
    [accountId, version],
  );
  if (rows[0] === undefined) throw new Error('expected the active topic model');
  return rows[0].model;
}

/** Lists models, newest first. */
async function readTopicModels(db: Queryable, accountId: number): Promise<TopicModel[]> {
  const { rows } = await db.query<TopicModel>(
    `select k.version, to_json(k.trained_at at time zone 'utc') #>> '{}' || 'Z' as trained_at, k.examples, k.keywords_f1, k.model_f1,
       l.active_version is not null as is_active
     from text.topic_model k
     left join text.topic_model_state l on l.account_id = k.account_id and l.active_version = k.version
     where k.account_id = $1::bigint order by k.version desc`,
    [accountId],
  );
  return rows;
}

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
