import { enqueue } from '@survey/bus/outbox.ts';
import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { TextJob } from '@survey/proto/events/v1/events.ts';
import type { Stage } from '../tables/account-state.ts';
import { claimDue, nextDueInMs, type ClaimedAnswer } from './pending.ts';

// Answers per job, whose statements cost more than the work itself.
const BATCH = 200;
const BATCH_BYTES = 50_000;
// Maximum dispatched answers per account and stage: the turn of an account. Two texts of the
// maximum length leave a slot to others (CONCURRENCY in start-stages.ts).
const MAX_DISPATCHED = { answers: 1_000, bytes: 150_000 };
// Minimum delay before the next dispatch while answers are pending.
const MIN_INTERVAL_MS = 500;

interface HandOut {
  // Messages added to the outbox.
  readonly jobs: number;
  // Milliseconds until the next dispatch; undefined when nothing is pending.
  readonly againInMs: number | undefined;
}

/** Dispatches an account's pending answers as jobs. */
export function dispatchDue(pool: Pool, stages: readonly Stage[], accountId: number): Promise<HandOut> {
  return inAccount(pool, accountId, async (tx) => {
    let jobs = 0;
    for (const stage of stages) jobs += await dispatchStage(tx, accountId, stage);
    const dueInMs = await nextDueInMs(tx, accountId);
    return { jobs, againInMs: dueInMs && Math.max(MIN_INTERVAL_MS, dueInMs) };
  });
}

async function dispatchStage(tx: Client, accountId: number, stage: Stage): Promise<number> {
  const batches = inBatches(await claimDue(tx, accountId, stage, MAX_DISPATCHED));
  const messages = batches.map((answers) => ({
    subject: `jobs.${stage}` as const,
    payload: TextJob.encode({ account_id: accountId, answers }).finish(),
  }));
  if (messages.length > 0) await enqueue(tx, 'text', accountId, messages);
  return messages.length;
}

// An answer that has failed is dispatched alone, so that it fails no others if it ends the process.
function inBatches(claimed: readonly ClaimedAnswer[]): number[][] {
  const batches: number[][] = [];
  let batch: number[] = [];
  let batchBytes = 0;
  for (const { answer, bytes } of claimed.filter(({ attempts }) => attempts === 0)) {
    if (batch.length === BATCH || batchBytes + bytes > BATCH_BYTES) {
      if (batch.length > 0) batches.push(batch);
      [batch, batchBytes] = [[], 0];
    }
    batch.push(answer);
    batchBytes += bytes;
  }
  if (batch.length > 0) batches.push(batch);
  return [...batches, ...claimed.filter(({ attempts }) => attempts > 0).map(({ answer }) => [answer])];
}
