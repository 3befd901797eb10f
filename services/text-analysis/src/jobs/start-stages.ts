import type { AccountWork, AccountWorker } from '@survey/bus/account-work.ts';
import { subscribe } from '@survey/bus/broadcast.ts';
import type { BusConnection } from '@survey/bus/connection.ts';
import { consume } from '@survey/bus/consume.ts';
import type { OutboxRelay } from '@survey/bus/outbox.ts';
import type { Pool } from '@survey/postgres/database.ts';
import { initializeToZero, counter } from '@survey/process/metrics.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { SettingsChanged, TextJob } from '@survey/rpc/gen/survey/events/v1/events.ts';
import { accountsWithPending } from '../sql/pending.ts';
import { accountsToPlan } from '../sql/stage-plan.ts';
import { dispatchDue } from './dispatch-pending.ts';
import { planStages } from './backfill-stage.ts';
import { registerBacklogMetrics } from './backlog-metrics.ts';
import type { StageDefinition } from './stage-definition.ts';
import { processBatch } from './process-batch.ts';

const BUS_AWAY_MS = 1_000;
// What a batch needs most is this process' only processor.
const CONCURRENCY = 2;

export interface StageTools {
  readonly pool: Pool;
  readonly bus: BusConnection;
  readonly relay: OutboxRelay;
  readonly accountWork: AccountWorker;
}

/** Returns the planning of stages, which settings and models ask for, and the handing out of what is pending, as work of accounts. */
export function stageWork(
  { pool, bus, relay }: Omit<StageTools, 'accountWork'>,
  works: readonly StageDefinition<unknown, unknown>[],
): AccountWork[] {
  const stages = works.map(({ stage }) => stage);
  const toPlan = async (): Promise<number[]> => {
    const accounts = new Set<number>();
    for (const { stage, basis } of works) for (const id of await accountsToPlan(pool, stage, basis)) accounts.add(id);
    return [...accounts];
  };
  return [
    { kind: 'plan', sweep: toPlan, work: async (accountId) => ((await planStages(pool, works, accountId)) ? 0 : undefined) },
    {
      kind: 'hand_out',
      sweep: accountsWithPending,
      work: async (accountId) => {
        // Without a bus nobody would take them.
        if (bus.current() === undefined) return BUS_AWAY_MS;
        const { jobs, againInMs } = await dispatchDue(pool, stages, accountId);
        if (jobs > 0) relay.wake();
        return againInMs;
      },
    },
  ];
}

/** Works on answers that were handed out, here or by another process. What the bus or a worker loses is handed out again when it is due. */
export function startStages(
  { pool, bus, relay, accountWork }: StageTools,
  works: readonly StageDefinition<unknown, unknown>[],
  context: ServiceContext,
): void {
  const answers = counter(context.metrics, {
    name: 'text_stage_answers_total',
    help: 'Answers by stage and what became of them',
    labelNames: ['stage', 'outcome'],
  });
  registerBacklogMetrics(pool, context);
  for (const work of works) {
    const handle = async (payload: Uint8Array): Promise<void> => {
      const { done, failed, givenUp } = await processBatch(pool, work, TextJob.decode(payload), context.log);
      answers.inc({ stage: work.stage, outcome: 'done' }, done);
      answers.inc({ stage: work.stage, outcome: 'failed' }, failed);
      answers.inc({ stage: work.stage, outcome: 'given_up' }, givenUp);
      relay.wake();
      accountWork.wake();
    };
    initializeToZero(
      answers,
      ['done', 'failed', 'given_up'].map((outcome) => ({ stage: work.stage, outcome })),
    );
    consume(bus, { consumer: `text-analysis-${work.stage}`, concurrency: CONCURRENCY, handle }, context);
  }
  const changed = subscribe(bus, 'events.settings.changed', (payload) => {
    void accountWork.mark(['plan'], SettingsChanged.decode(payload).account_id);
  });
  context.resources.defer(() => changed[Symbol.dispose]());
}
