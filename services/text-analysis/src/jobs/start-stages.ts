import { listen } from '@survey/bus/broadcast.ts';
import type { BusConnection } from '@survey/bus/connection.ts';
import { consume } from '@survey/bus/consume.ts';
import type { OutboxRelay } from '@survey/bus/outbox.ts';
import type { Pool } from '@survey/postgres/database.ts';
import { beginAt0, counter } from '@survey/process/metrics.ts';
import type { ServiceTools } from '@survey/process/service.ts';
import { SettingsChanged, TextJob } from '@survey/rpc/gen/survey/events/v1/events.ts';
import { handOutDue } from './hand-out.ts';
import { planStage } from './plan-stage.ts';
import { repeat } from './repeat.ts';
import { watchBacklog } from './watch-backlog.ts';
import type { StageWork } from './stage-work.ts';
import { workOnBatch } from './work-on-batch.ts';

const PLAN_EVERY_MS = 5_000;
const HAND_OUT_EVERY_MS = 500;
// What a batch needs most is this process' only processor.
const CONCURRENCY = 2;

export interface StageTools {
  readonly pool: Pool;
  readonly bus: BusConnection;
  readonly relay: OutboxRelay;
}

export interface Stages {
  // Call when what a plan is made from has changed: it is then made anew at once.
  readonly plan: () => void;
}

/**
 * Runs stages: plans what settings and models ask for, hands out what is due, and works on what was handed out, here or in another process. What
 * the bus loses, and whom a worker leaves behind when it dies, is found when it is due again.
 */
export function startStages(
  { pool, bus, relay }: StageTools,
  works: readonly StageWork<unknown, unknown>[],
  tools: ServiceTools,
): Stages {
  const answers = counter(tools.metrics, {
    name: 'text_stage_answers_total',
    help: 'Answers by stage and what became of them',
    labelNames: ['stage', 'outcome'],
  });
  const handingOut = repeat('answers cannot be handed out', HAND_OUT_EVERY_MS, tools, async () => {
    // Without a bus nobody would take them.
    if (bus.current() === undefined) return;
    const jobs = await handOutDue(
      pool,
      works.map(({ stage }) => stage),
    );
    if (jobs > 0) relay.wake();
  });
  const planning = repeat('stages cannot be planned', PLAN_EVERY_MS, tools, async () => {
    for (const work of works) await planStage(pool, work);
    handingOut.wake();
  });
  const changed = listen(bus, 'events.settings.changed', (payload) => {
    // Read for nothing but to be sure that it is one.
    SettingsChanged.decode(payload);
    planning.wake();
  });
  tools.resources.defer(() => changed[Symbol.dispose]());
  watchBacklog(pool, tools);
  for (const work of works) {
    const handle = async (payload: Uint8Array): Promise<void> => {
      const { done, failed, givenUp } = await workOnBatch(pool, work, TextJob.decode(payload), tools.log);
      answers.inc({ stage: work.stage, outcome: 'done' }, done);
      answers.inc({ stage: work.stage, outcome: 'failed' }, failed);
      answers.inc({ stage: work.stage, outcome: 'given_up' }, givenUp);
      relay.wake();
      handingOut.wake();
    };
    beginAt0(
      answers,
      ['done', 'failed', 'given_up'].map((outcome) => ({ stage: work.stage, outcome })),
    );
    consume(bus, { consumer: `text-analysis-${work.stage}`, concurrency: CONCURRENCY, handle }, tools);
  }
  return { plan: () => planning.wake() };
}
