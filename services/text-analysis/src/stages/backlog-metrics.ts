import type { Pool } from '@survey/postgres/database.ts';
import { Gauge } from '@survey/process/metrics.ts';
import type { ServiceContext } from '@survey/process/service.ts';

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
export function registerBacklogMetrics(pool: Pool, { log, metrics }: Pick<ServiceContext, 'log' | 'metrics'>): void {
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
