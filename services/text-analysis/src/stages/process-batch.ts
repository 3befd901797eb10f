import { setImmediate as nextTurn } from 'node:timers/promises';
import { enqueue } from '@survey/bus/outbox.ts';
import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { markDue } from '@survey/postgres/due.ts';
import type { Log } from '@survey/process/log.ts';
import { TextEvent, type TextJob } from '@survey/proto/events/v1/events.ts';
import { lockAccountState, saveAccountState } from '../tables/account-state.ts';
import {
  beginAttempt,
  deletePending,
  giveUp,
  scheduleRetry,
  stillPending,
  type StageResult,
  type StartedAnswer,
} from './pending.ts';
import { readBackfill } from './backfill.ts';
import type { StageDefinition } from './stage-definition.ts';

const MAX_ATTEMPTS = 5;
// Answers processed concurrently before other work gets the event loop: some milliseconds.
const AT_A_STRETCH = 10;

interface Failed extends StartedAnswer {
  readonly reason: string;
}

/** Numbers of answers in a batch, by outcome. */
interface BatchOutcome {
  readonly done: number;
  readonly failed: number;
  readonly givenUp: number;
}

/**
 * Processes the answers of a job: each is done, retried later, or given up after five attempts. A
 * duplicate job has no effect. An answer whose text or wanted version has changed is skipped,
 * because that change has queued it again.
 */
export async function processBatch<R, P>(
  pool: Pool,
  work: StageDefinition<R, P>,
  { account_id: accountId, answers }: TextJob,
  log: Log,
): Promise<BatchOutcome> {
  const begun = await inAccount(pool, accountId, async (tx) => {
    const version = (await readBackfill(tx, accountId, work.stage))?.version ?? undefined;
    if (version === undefined) return undefined;
    const all = await beginAttempt(tx, accountId, work.stage, answers);
    // Read after the attempt has begun: an answer that changes later is queued again.
    return { version, all, prepared: await work.prepare(tx, accountId, answers) };
  });
  if (begun === undefined || begun.all.length === 0) return { done: 0, failed: 0, givenUp: 0 };
  const { done, failed } = await processAll(work, accountId, begun);
  const givenUp = failed.filter(({ attempts }) => attempts >= MAX_ATTEMPTS);
  for (const { id, reason } of failed)
    log.warn({ account_id: accountId, stage: work.stage, answer_id: id, reason }, 'answer failed');
  await inAccount(pool, accountId, async (tx) => {
    if (!(await saveDone(tx, work, accountId, begun.version, done))) return;
    await giveUp(tx, accountId, work.stage, givenUp);
    const retried = failed.filter((one) => !givenUp.includes(one)).map(({ id }) => id);
    await scheduleRetry(tx, accountId, work.stage, retried);
    // The slots of these answers are free for others.
    await markDue(tx, 'text', 'dispatch', [accountId]);
  });
  return { done: done.length, failed: failed.length, givenUp: givenUp.length };
}

interface Begun<P> {
  readonly version: string;
  readonly prepared: P;
  readonly all: readonly StartedAnswer[];
}

async function processAll<R, P>(
  work: StageDefinition<R, P>,
  accountId: number,
  { version, prepared, all }: Begun<P>,
): Promise<{ done: StageResult<R>[]; failed: Failed[] }> {
  const done: StageResult<R>[] = [];
  const failed: Failed[] = [];
  const performOne = async (answer: StartedAnswer): Promise<void> => {
    try {
      done.push({ ...answer, result: await work.perform(accountId, version, answer, prepared) });
    } catch (error) {
      failed.push({ ...answer, reason: nameOf(error) });
    }
  };
  // These answers ended the process before an error could be recorded.
  const [deadly, harmless] = [all.filter(exceededAttempts), all.filter((answer) => !exceededAttempts(answer))];
  for (const answer of deadly) failed.push({ ...answer, reason: 'process ended on every attempt' });
  for (let from = 0; from < harmless.length; from += AT_A_STRETCH) {
    await Promise.all(harmless.slice(from, from + AT_A_STRETCH).map(performOne));
    await nextTurn();
  }
  return { done, failed };
}

function exceededAttempts({ attempts }: StartedAnswer): boolean {
  return attempts > MAX_ATTEMPTS;
}

// Never the message: it may repeat the text (rule DATA-LOGS-1).
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'an error without a name';
}

// Returns false when the wanted version has changed.
async function saveDone<R, P>(
  tx: Client,
  work: StageDefinition<R, P>,
  accountId: number,
  version: string,
  done: readonly StageResult<R>[],
): Promise<boolean> {
  const state = await lockAccountState(tx, accountId);
  if (state.stages.get(work.stage) !== version) return false;
  const waiting = await stillPending(
    tx,
    accountId,
    work.stage,
    done.map(({ id }) => id),
  );
  // An answer that is no longer pending was done by a duplicate of this job.
  const news = done.filter(({ id }) => waiting.has(id));
  if (news.length === 0) return true;
  const saved = await work.save(tx, accountId, state, version, news);
  await saveAccountState(tx, accountId, state);
  await deletePending(tx, accountId, work.stage, saved);
  if (saved.length === 0 || work.event === undefined) return true;
  const payload = TextEvent.encode({ account_id: accountId, answers: saved.length }).finish();
  await enqueue(tx, 'text', accountId, [{ subject: work.event, payload }]);
  return true;
}
