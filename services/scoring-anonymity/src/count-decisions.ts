import { beginAt0, counter } from '@survey/process/metrics.ts';
import type { ServiceTools } from '@survey/process/service.ts';

/** Counts what was let out and what was not. */
export type CountDecision = (isReleased: boolean) => void;

export function countDecisions(about: 'score' | 'text_cycle', { metrics }: ServiceTools): CountDecision {
  const decisions = counter(metrics, {
    name: 'release_decisions_total',
    help: 'Decisions about the release of scores, and of the answers of a cycle',
    labelNames: ['about', 'outcome'],
  });
  beginAt0(decisions, [
    { about, outcome: 'released' },
    { about, outcome: 'suppressed' },
  ]);
  return (isReleased) => decisions.inc({ about, outcome: isReleased ? 'released' : 'suppressed' });
}
