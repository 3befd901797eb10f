import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { lockAccountState } from '../sql/account-state.ts';
import { accountsToPlan, clearStage, currentBasis, readPlan, savePlan, type StagePlan } from '../sql/stage-plan.ts';
import type { StageWork } from './stage-work.ts';

// Answers looked at in one transaction: some tenths of a second, in which nobody else writes to the account.
const AT_ONCE = 10_000;

/**
 * Queues what a stage has to do because settings or a model have changed: all answers without a result of the version that is wanted now. Begins
 * again where it was when it is broken off. Answers that come meanwhile are queued by whoever takes them in.
 */
export async function planStage<R, P>(pool: Pool, work: StageWork<R, P>, accountIds?: readonly number[]): Promise<void> {
  for (const accountId of accountIds ?? (await accountsToPlan(pool, work.stage, work.basis))) {
    let mayBeMore = true;
    while (mayBeMore) mayBeMore = await inAccount(pool, accountId, (tx) => planSome(tx, accountId, work));
  }
}

// Answers with false when all is planned.
async function planSome<R, P>(tx: Client, accountId: number, work: StageWork<R, P>): Promise<boolean> {
  const { answers } = await lockAccountState(tx, accountId);
  const plan = await currentPlan(tx, accountId, work);
  const planned_to = plan.version === null ? answers : Math.min(answers, plan.planned_to + AT_ONCE);
  if (plan.version !== null) await work.queueOutdated(tx, accountId, plan.version, { from: plan.planned_to, to: planned_to });
  await savePlan(tx, accountId, work.stage, { ...plan, planned_to });
  return planned_to < answers;
}

async function currentPlan<R, P>(tx: Client, accountId: number, work: StageWork<R, P>): Promise<StagePlan> {
  const known = await readPlan(tx, accountId, work.stage);
  const basis = await currentBasis(tx, accountId, work.stage, work.basis);
  if (known?.basis === basis) return known;
  const version = await work.wantedVersion(tx, accountId);
  if (known?.version === version) return { ...known, basis };
  await clearStage(tx, accountId, work.stage);
  return { version, basis, planned_to: 0 };
}
