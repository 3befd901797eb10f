import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { enqueue } from '@survey/bus/outbox.ts';
import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { markDue } from '@survey/postgres/due.ts';
import { failpoint } from '@survey/process/failpoint.ts';
import type { Log } from '@survey/process/log.ts';
import { TextEvent, type TextJob } from '@survey/proto/events/v1/events.ts';
import { ThreadEndedError } from '@survey/text/masking/recogniser/model-thread.ts';
import { lockAccountState, saveAccountState, type Stage } from '../tables/account-state.ts';
import {
  beginAttempt,
  deletePending,
  dispatchAlone,
  endAttempt,
  giveUp,
  isSuspect,
  scheduleRetry,
  stillPending,
  type StageResult,
  type StartedAnswer,
} from './pending.ts';
import { readBackfill } from './backfill.ts';
import type { StageDefinition } from './stage-definition.ts';

const MAX_ATTEMPTS = 5;
// Maximum number of attempts during which the process or the thread of a model ended.
const MAX_CRASHES = 2;
// Answers processed before other work gets the event loop: some milliseconds.
const AT_A_STRETCH = 10;
const RETRY_END_MS = 500;

interface Failed extends StartedAnswer {
  // Name of an error.
  readonly reason: string;
  readonly crashed: boolean;
}

// Answers that may end the process are processed one at a time, so that none is blamed for another.
let lastSuspect: Promise<unknown> = Promise.resolve();

interface RunningAttempt {
  readonly accountId: number;
  readonly stage: Stage;
  readonly ids: readonly number[];
}

const runningAttempts = new Set<RunningAttempt>();

/**
 * Records that this process stops on purpose, so that its unfinished attempts do not count as
 * crashes.
 */
export async function endRunningAttempts(pool: Pool, log: Log): Promise<void> {
  for (const attempt of runningAttempts) await tryToEnd(pool, attempt, log);
}

// Without PostgreSQL, this is repeated in the background until the lease of the answers ends: their
// next attempt would count a crash. Neither the batch nor the stop waits for it.
async function tryToEnd(pool: Pool, attempt: RunningAttempt, log: Log, tries = 240): Promise<void> {
  const { accountId, stage, ids } = attempt;
  await inAccount(pool, accountId, (tx) => endAttempt(tx, accountId, stage, ids)).catch((error: unknown) => {
    if (tries > 0) void sleep(RETRY_END_MS, undefined, { ref: false }).then(() => tryToEnd(pool, attempt, log, tries - 1));
    else log.warn({ err: error, account_id: accountId, stage }, 'end of attempt not stored');
  });
}

/** Numbers of answers in a batch, by outcome. */
interface BatchOutcome {
  readonly done: number;
  readonly failed: number;
  readonly givenUp: number;
}

/**
 * Processes the answers of a job: each is done, retried later, or given up after five attempts, or
 * after two that ended the process or the thread of a model. A duplicate job has no effect. An
 * answer whose text or wanted version has changed is skipped, because that change has queued it
 * again.
 */
export async function processBatch<R, P>(
  pool: Pool,
  work: StageDefinition<R, P>,
  { account_id: accountId, answers }: TextJob,
  log: Log,
): Promise<BatchOutcome> {
  const job = { pool, work, accountId, answers, log };
  const [only, ...others] = answers;
  const mayCrash =
    only !== undefined &&
    others.length === 0 &&
    (await inAccount(pool, accountId, (tx) => isSuspect(tx, accountId, work.stage, only)));
  if (!mayCrash) return processJob(job);
  const outcome = lastSuspect.then(() => processJob(job));
  // The caller gets the error, and the next suspect begins after it.
  lastSuspect = outcome.catch(() => undefined);
  return outcome;
}

interface Job<R, P> {
  readonly pool: Pool;
  readonly work: StageDefinition<R, P>;
  readonly accountId: number;
  readonly answers: readonly number[];
  readonly log: Log;
}

async function processJob<R, P>(job: Job<R, P>): Promise<BatchOutcome> {
  const { pool, work, accountId, answers } = job;
  const begun = await inAccount(pool, accountId, async (tx) => {
    const started = await beginAttempt(tx, accountId, work.stage, answers);
    // Read while the pending rows are locked: a change of the version deletes them, so it comes
    // either before this or after the transaction. Otherwise the rows that it queues could be taken
    // by an attempt whose result is discarded, and wait for the end of its lease.
    const version = (await readBackfill(tx, accountId, work.stage))?.version ?? undefined;
    if (version === undefined) return undefined;
    // The bus delivers a batch again when it has ended the process: one of its answers did that.
    const suspects = started.length === 1 ? [] : started.filter(({ crashes }) => crashes > 0 && crashes < MAX_CRASHES);
    await dispatchAlone(tx, accountId, work.stage, idsOf(suspects));
    const selected = started.filter((answer) => !suspects.includes(answer));
    // Read after the attempt has begun: an answer that changes later is queued again.
    return { version, selected, prepared: await work.prepare(tx, accountId, answers) };
  });
  if (begun === undefined || begun.selected.length === 0) return { done: 0, failed: 0, givenUp: 0 };
  const attempt = { accountId, stage: work.stage, ids: idsOf(begun.selected) };
  runningAttempts.add(attempt);
  return processBegun(job, begun, attempt).finally(() => runningAttempts.delete(attempt));
}

async function processBegun<R, P>(
  { pool, work, accountId, log }: Job<R, P>,
  begun: Begun<P>,
  attempt: RunningAttempt,
): Promise<BatchOutcome> {
  await failpoint(`${work.stage}.begun`);
  const { done, failed } = await processAll(work, accountId, begun);
  await failpoint(`${work.stage}.performed`);
  const givenUp = failed.filter(
    ({ attempts, crashes, crashed }) => attempts >= MAX_ATTEMPTS || (crashed && crashes >= MAX_CRASHES - 1),
  );
  for (const { id, reason } of failed)
    log.warn({ account_id: accountId, stage: work.stage, answer_id: id, reason }, 'answer failed');
  try {
    await inAccount(pool, accountId, async (tx) => {
      if (!(await saveDone(tx, work, accountId, begun.version, done))) return;
      await giveUp(tx, accountId, work.stage, givenUp);
      await scheduleRetry(
        tx,
        accountId,
        work.stage,
        failed.filter((one) => !givenUp.includes(one)),
      );
      await endAttempt(tx, accountId, work.stage, attempt.ids);
      // The slots of these answers are free for others.
      await markDue(tx, 'text', 'dispatch', [accountId]);
    });
  } catch (error) {
    // The database failed, not an answer.
    await tryToEnd(pool, attempt, log);
    throw error;
  }
  return { done: done.length, failed: failed.length, givenUp: givenUp.length };
}

const idsOf = (answers: readonly StartedAnswer[]): number[] => answers.map(({ id }) => id);

interface Begun<P> {
  readonly version: string;
  readonly prepared: P;
  readonly selected: readonly StartedAnswer[];
}

async function processAll<R, P>(
  work: StageDefinition<R, P>,
  accountId: number,
  { version, prepared, selected }: Begun<P>,
): Promise<{ done: StageResult<R>[]; failed: Failed[] }> {
  const done: StageResult<R>[] = [];
  const failed: Failed[] = [];
  for (const [index, answer] of selected.entries()) {
    if (answer.crashes >= MAX_CRASHES) {
      failed.push({ ...answer, reason: 'ProcessEndedError', crashed: true });
      continue;
    }
    try {
      done.push({ ...answer, result: await work.perform(accountId, version, answer, prepared) });
    } catch (error) {
      failed.push({ ...answer, reason: nameOf(error), crashed: error instanceof ThreadEndedError });
    }
    if (index % AT_A_STRETCH === AT_A_STRETCH - 1) await nextTurn();
  }
  return { done, failed };
}

// The message is never logged, because it may repeat the text (rule DATA-LOGS-1).
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'Error';
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
  const pendingIds = await stillPending(
    tx,
    accountId,
    work.stage,
    done.map(({ id }) => id),
  );
  // An answer that is no longer pending was done by a duplicate of this job.
  const unsaved = done.filter(({ id }) => pendingIds.has(id));
  if (unsaved.length === 0) return true;
  const saved = await work.save(tx, accountId, state, version, unsaved);
  await saveAccountState(tx, accountId, state);
  await deletePending(tx, accountId, work.stage, saved);
  if (saved.length === 0 || work.event === undefined) return true;
  const payload = TextEvent.encode({ account_id: accountId, answers: saved.length }).finish();
  await enqueue(tx, 'text', accountId, [{ subject: work.event, payload }]);
  return true;
}
