import { none, type Goal } from './goals.ts';
import type { ReadFixture } from './read-fixture.ts';
import type { FaultyStore } from '../../test/failure/faulty-store.ts';
import { p99Ms, rejected, underLoad, wrong, type Outage } from './under-load.ts';
import type { WholeStack } from '../../test/failure/whole-stack.ts';

const STARTED_WITHIN_MS = 10_000;

/** A server that no request depends on: killed, and frozen. */
export async function measureUnavailable(name: string, store: FaultyStore, { stack, readable, forMs }: Loaded): Promise<Goal[]> {
  const goals: Goal[] = [];
  const outages: readonly Outage[] = [
    { name: `${name} killed`, begin: () => store.kill(), end: () => store.start() },
    { name: `${name} standing still`, begin: () => store.pause(), end: () => store.resume() },
  ];
  for (const outage of outages) {
    const named = { ...outage, name: `${outage.name} for ${forMs / 1_000} s` };
    goals.push(...(await measureUnnoticed(named, { stack, readable, forMs })));
  }
  return goals;
}

export interface Loaded {
  readonly stack: WholeStack;
  readonly readable: ReadFixture;
  readonly forMs: number;
}

/** An outage that must not affect customers. */
export async function measureUnnoticed(outage: Outage, { stack, readable, forMs }: Loaded): Promise<Goal[]> {
  const { calm, away, after } = await underLoad(stack, readable, outage, { forMs });
  const what = outage.name;
  const all = [away, after];
  const imports = all.flatMap((seen) => seen.imports);
  const ended = imports.map(({ endedMs = Infinity }) => endedMs);
  const [beforeOutage, duringOutage] = [p99Ms(calm), p99Ms(away)];
  const reads = all.reduce((sum, seen) => sum + seen.reads.length, 0);
  return [
    none(`${what}: reads other than 200`, all.flatMap(rejected).length, `of ${reads}; ${rejected(calm).length} before`),
    none(`${what}: wrong answers`, all.flatMap((seen) => wrong(seen, readable)).length, `of ${reads}`),
    {
      what: `${what}: p99 of reads`,
      figure: duringOutage / beforeOutage,
      unit: 'x',
      target: { atMost: 2 },
      anchor: `${Math.round(beforeOutage)} ms before`,
    },
    none(`${what}: imports other than 202`, imports.filter(({ status }) => status !== 202).length, `of ${imports.length}`),
    {
      what: `${what}: longest time from 202 to the end of the import`,
      figure: Math.max(...ended),
      unit: 'ms',
      target: { atMost: STARTED_WITHIN_MS },
      anchor: `${Math.round(Math.max(...calm.imports.map(({ endedMs = Infinity }) => endedMs)))} ms before`,
    },
  ];
}
