import { enqueue } from '@survey/bus/outbox.ts';
import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { TextJob } from '@survey/proto/events/v1/events.ts';
import type { Stage } from '../tables/account-state.ts';
import { claimDue, nextDueInMs, type ClaimedAnswer } from './pending.ts';

// Answers per job, whose statements cost more than the work itself.
const BATCH = 200;
// Maximum dispatched answers per account and stage, so that no backlog delays other accounts.
const MAX_DISPATCHED = 1_000;
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
function inBatches(handedOut: readonly ClaimedAnswer[]): number[][] {
  const fresh = handedOut.filter(({ attempts }) => attempts === 0).map(({ answer }) => answer);
  const batches = Array.from({ length: Math.ceil(fresh.length / BATCH) }, (_, index) =>
    fresh.slice(index * BATCH, (index + 1) * BATCH),
  );
  return [...batches, ...handedOut.filter(({ attempts }) => attempts > 0).map(({ answer }) => [answer])];
}
