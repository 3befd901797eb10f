import { setTimeout as sleep } from 'node:timers/promises';
import type { FactConsumerState } from '@survey/bus/facts-applied.ts';
import { CommandFailure } from '../failure.ts';

const LOOK_EVERY_MS = 200;

export interface Waiting {
  look: () => Promise<FactConsumerState[]>;
  onLook: (states: readonly FactConsumerState[]) => void;
  // How long nothing may move before the wait is given up.
  patienceMs: number;
}

/** Waits until every consumer has taken what was published, and answers with the last look. */
export async function untilApplied({ look, onLook, patienceMs }: Waiting): Promise<FactConsumerState[]> {
  let least = Infinity;
  let movedAt = performance.now();
  for (;;) {
    const states = await look();
    onLook(states);
    const remaining = remainingOf(states);
    if (remaining === 0) return states;
    if (remaining < least) movedAt = performance.now();
    least = Math.min(least, remaining);
    if (performance.now() - movedAt > patienceMs) throw stuck(states, patienceMs);
    await sleep(LOOK_EVERY_MS);
  }
}

export function remainingOf(states: readonly FactConsumerState[]): number {
  return states.reduce((sum, { remaining }) => sum + remaining, 0);
}

function stuck(states: readonly FactConsumerState[], patienceMs: number): CommandFailure {
  const names = states.filter(({ remaining }) => remaining > 0).map(({ consumer }) => consumer);
  return new CommandFailure(
    `everything is published, but ${names.join(', ')} did not move for ${patienceMs / 1_000} s: is the service running? It goes on when it is back.`,
  );
}
