import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { lockAccountState } from '../tables/account-state.ts';
import { clearStage, currentBasis, readBackfill, saveBackfill, type Backfill } from './backfill.ts';
import type { StageDefinition } from './stage-definition.ts';

// Answers per transaction. A transaction takes some 100 ms, which blocks other writers of the
// account.
const BATCH_SIZE = 10_000;

/**
 * Queues one chunk of an account's backfill after a change of settings or model: all answers
 * without a result of the current version. Continues where it was interrupted. Answers that arrive
 * meanwhile are queued by the intake. Returns whether chunks remain.
 */
export async function backfillStages(
  pool: Pool,
  works: readonly StageDefinition<unknown, unknown>[],
  accountId: number,
): Promise<boolean> {
  let isMore = false;
  for (const work of works) isMore = (await inAccount(pool, accountId, (tx) => backfillBatch(tx, accountId, work))) || isMore;
  return isMore;
}

// Returns false when the backfill is complete.
async function backfillBatch<R, P>(tx: Client, accountId: number, work: StageDefinition<R, P>): Promise<boolean> {
  const { answers } = await lockAccountState(tx, accountId);
  const backfill = await currentBackfill(tx, accountId, work);
  const enqueued_below = backfill.version === null ? answers : Math.min(answers, backfill.enqueued_below + BATCH_SIZE);
  if (backfill.version !== null)
    await work.queueOutdated(tx, accountId, backfill.version, { from: backfill.enqueued_below, to: enqueued_below });
  await saveBackfill(tx, accountId, work.stage, { ...backfill, enqueued_below });
  return enqueued_below < answers;
}

async function currentBackfill<R, P>(tx: Client, accountId: number, work: StageDefinition<R, P>): Promise<Backfill> {
  const known = await readBackfill(tx, accountId, work.stage);
  const basis = await currentBasis(tx, accountId, work.stage, work.basis);
  if (known?.basis === basis) return known;
  const version = await work.wantedVersion(tx, accountId);
  if (known?.version === version) return { ...known, basis };
  await clearStage(tx, accountId, work.stage);
  return { version, basis, enqueued_below: 0 };
}
