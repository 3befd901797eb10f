import { initializeToZero, counter } from '@survey/process/metrics.ts';
import type { ServiceContext } from '@survey/process/service.ts';

/** Counts decisions by outcome: released or suppressed. */
export type CountDecision = (isReleased: boolean) => void;

export function createDecisionCounter(kind: 'score' | 'text_cycle' | 'text_block', { metrics }: ServiceContext): CountDecision {
  const decisions = counter(metrics, {
    name: 'release_decisions_total',
    help: 'Decisions on the release of scores and of text responses per cycle or block, by outcome.',
    labelNames: ['kind', 'outcome'],
  });
  initializeToZero(decisions, [
    { kind, outcome: 'released' },
    { kind, outcome: 'suppressed' },
  ]);
  return (isReleased) => decisions.inc({ kind, outcome: isReleased ? 'released' : 'suppressed' });
}
