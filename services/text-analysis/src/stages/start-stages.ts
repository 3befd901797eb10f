import type { AccountWork, AccountWorker } from '@survey/bus/account-work.ts';
import { subscribe, type BusConnection } from '@survey/bus/connection.ts';
import { consume } from '@survey/bus/consume.ts';
import { type OutboxRelay, enqueue } from '@survey/bus/outbox.ts';
import { type Pool, inAccount, type Client } from '@survey/postgres/database.ts';
import { markDue } from '@survey/postgres/due.ts';
import { counter, Gauge, initializeToZero } from '@survey/process/metrics.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { SettingsChanged, TextJob } from '@survey/proto/events/v1/events.ts';
import { accountsToBackfill, backfillStages } from './backfill.ts';
import { accountsWithPending, claimDue, nextDueInMs, type ClaimedAnswer } from './pending.ts';
import { endRunningAttempts, processBatch } from './process-batch.ts';
import type { StageDefinition } from './stage-definition.ts';
import type { Stage } from '../tables/account-state.ts';

const BUS_AWAY_MS = 1_000;
// Most of a batch's time is CPU time of this process or of the model's thread.
const CONCURRENCY = 3;

interface StageContext {
  readonly pool: Pool;
  readonly bus: BusConnection;
  readonly relay: OutboxRelay;
  readonly accountWork: AccountWorker;
}

/** Creates the account work that backfills stages and dispatches pending answers. */
export function stageWork(
  { pool, bus, relay }: Omit<StageContext, 'accountWork'>,
  works: readonly StageDefinition<unknown, unknown>[],
): AccountWork[] {
  const stages = works.map(({ stage }) => stage);
  const toBackfill = async (): Promise<number[]> => {
    const accounts = new Set<number>();
    for (const { stage, basis } of works) for (const id of await accountsToBackfill(pool, stage, basis)) accounts.add(id);
    return [...accounts];
  };
  return [
    {
      kind: 'backfill',
      sweep: toBackfill,
      work: async (accountId) => ((await backfillStages(pool, works, accountId)) ? 0 : undefined),
    },
    {
      kind: 'dispatch',
      sweep: accountsWithPending,
      work: async (accountId) => {
        // Without a bus no worker would receive the jobs.
        if (bus.current() === undefined) return BUS_AWAY_MS;
        const { jobs, againInMs } = await dispatchDue(pool, stages, accountId);
        if (jobs > 0) relay.wake(accountId);
        return againInMs;
      },
    },
  ];
}

/**
 * Processes jobs dispatched by any process. A job that the bus or a worker loses is dispatched
 * again when its lease expires.
 */
export function startStages(
  { pool, bus, relay, accountWork }: StageContext,
  works: readonly StageDefinition<unknown, unknown>[],
  context: ServiceContext,
): void {
  const answers = counter(context.metrics, {
    name: 'text_stage_answers_total',
    help: 'Processed answers, by stage and outcome.',
    labelNames: ['stage', 'outcome'],
  });
  registerBacklogMetrics(pool, context);
  for (const work of works) {
    const handle = async (payload: Uint8Array): Promise<void> => {
      const job = TextJob.decode(payload);
      const { done, failed, givenUp } = await processBatch(pool, work, job, context.log);
      answers.inc({ stage: work.stage, outcome: 'done' }, done);
      answers.inc({ stage: work.stage, outcome: 'failed' }, failed);
      answers.inc({ stage: work.stage, outcome: 'given_up' }, givenUp);
      relay.wake(job.account_id);
      accountWork.wake();
    };
    initializeToZero(
      answers,
      ['done', 'failed', 'given_up'].map((outcome) => ({ stage: work.stage, outcome })),
    );
    const positions = { pool, schema: 'text' } as const;
    consume(bus, { consumer: `text-analysis-${work.stage}`, positions, concurrency: CONCURRENCY, handle }, context);
  }
  const changed = subscribe(bus, 'events.settings.changed', (payload) => {
    void accountWork.mark(['backfill'], SettingsChanged.decode(payload).account_id);
  });
  context.resources.defer(() => changed[Symbol.dispose]());
  // Resources end in reverse order: this comes before the consumers wait for their jobs.
  context.resources.defer(() => endRunningAttempts(pool, context.log));
}

/**
 * Lets the processes that go on backfill the accounts with pending answers. After a rollback, only
 * those of release 0.1 do, which fail each text of a version that they do not know until they
 * replace it: by themselves at their next sweep.
 */
export async function leaveStages(pool: Pool, log: ServiceContext['log']): Promise<void> {
  await accountsWithPending(pool)
    .then((accounts) => markDue(pool, 'text', 'backfill', accounts))
    .catch((error: unknown) => log.warn({ err: error }, 'pending answers not handed over'));
}

interface Backlog {
  readonly stage: string;
  readonly pending: number;
  readonly lag_seconds: number;
}

const FRESH_MS = 5_000;

/**
 * Registers metrics for the pending answers of each stage and the age of the oldest, over all
 * accounts. Counts at most every 5 s.
 */
function registerBacklogMetrics(pool: Pool, { log, metrics }: Pick<ServiceContext, 'log' | 'metrics'>): void {
  let begunAt = -Infinity;
  let counted: Promise<void> = Promise.resolve();
  const count = async (): Promise<void> => {
    const { rows } = await pool.query<Backlog>('select stage, pending, lag_seconds from text.stage_backlog()');
    for (const { stage, pending, lag_seconds } of rows) {
      pendingAnswers.set({ stage }, pending);
      lag.set({ stage }, lag_seconds);
    }
  };
  // One scrape collects both metrics, so one count serves both.
  const collect = (): Promise<void> => {
    if (performance.now() - begunAt < FRESH_MS) return counted;
    begunAt = performance.now();
    counted = count().catch((error: unknown) => log.warn({ err: error }, 'text backlog count failed'));
    return counted;
  };
  const options = { labelNames: ['stage' as const], registers: [metrics], collect };
  const pendingAnswers = new Gauge({
    ...options,
    name: 'text_stage_pending_answers',
    help: 'Pending answers of all accounts, by stage.',
  });
  const lag = new Gauge({
    ...options,
    name: 'text_stage_oldest_pending_seconds',
    help: 'Age of the oldest pending answer of all accounts, in seconds, by stage.',
  });
}

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
