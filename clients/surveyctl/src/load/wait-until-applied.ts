import { setTimeout as sleep } from 'node:timers/promises';
import type { ConsumerProgress } from '@survey/bus/facts/consumer-progress.ts';
import { CommandError } from '../command-error.ts';

const LOOK_INTERVAL_MS = 200;

interface WaitOptions {
  poll: () => Promise<ConsumerProgress[]>;
  onLook: (states: readonly ConsumerProgress[]) => void;
  // Longest time without progress before the wait fails.
  stallTimeoutMs: number;
}

/** Waits until every consumer has processed the published messages. Returns the final progress. */
export async function waitUntilApplied({ poll, onLook, stallTimeoutMs }: WaitOptions): Promise<ConsumerProgress[]> {
  let fewest = Infinity;
  let movedAt = performance.now();
  for (;;) {
    const states = await poll();
    onLook(states);
    const remaining = remainingOf(states);
    if (remaining === 0) return states;
    if (remaining < fewest) movedAt = performance.now();
    fewest = Math.min(fewest, remaining);
    if (performance.now() - movedAt > stallTimeoutMs) throw stallError(states, stallTimeoutMs);
    await sleep(LOOK_INTERVAL_MS);
  }
}

export function remainingOf(states: readonly ConsumerProgress[]): number {
  return states.reduce((sum, { remaining }) => sum + remaining, 0);
}

function stallError(states: readonly ConsumerProgress[], stallTimeoutMs: number): CommandError {
  const names = states.filter(({ remaining }) => remaining > 0).map(({ consumer }) => consumer);
  return new CommandError(
    `all facts are published, but ${names.join(', ')} made no progress for ${stallTimeoutMs / 1_000} s; check that the service is running, it continues by itself`,
  );
}
