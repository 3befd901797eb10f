import { none, type Goal } from './goals.ts';
import type { Readable } from './something-to-read.ts';
import type { FaultyStore } from './faulty-stores.ts';
import { p99Ms, refused, underLoad, wrong, type Outage, type SeenAround } from './under-load.ts';
import type { WholeStack } from './whole-stack.ts';

const STARTED_WITHIN_MS = 10_000;

/** R7 for one server that nobody may depend on: killed, and standing still. */
export async function measureAway(
  name: string,
  store: FaultyStore,
  { stack, readable, forMs }: { stack: WholeStack; readable: Readable; forMs: number },
): Promise<Goal[]> {
  const goals: Goal[] = [];
  const outages: readonly Outage[] = [
    { name: `${name} killed`, begin: () => store.kill(), end: () => store.start() },
    { name: `${name} standing still`, begin: () => store.pause(), end: () => store.resume() },
  ];
  for (const outage of outages) {
    const seen = await underLoad(stack, readable, outage, forMs);
    goals.push(...goalsOf(`${outage.name} for ${forMs / 1_000} s`, seen, readable));
  }
  return goals;
}

function goalsOf(what: string, { calm, away, after }: SeenAround, readable: Readable): Goal[] {
  const all = [away, after];
  const imports = all.flatMap((seen) => seen.imports);
  const ended = imports.map(({ endedMs = Infinity }) => endedMs);
  const [inCalm, inAway] = [p99Ms(calm), p99Ms(away)];
  const reads = all.reduce((sum, seen) => sum + seen.reads.length, 0);
  return [
    none('R7', `${what}: reads that are not 200`, all.flatMap(refused).length, `of ${reads}; ${refused(calm).length} before`),
    none('R7', `${what}: wrong answers`, all.flatMap((seen) => wrong(seen, readable)).length, `of ${reads}`),
    {
      goal: 'R7',
      what: `${what}: p99 of reads`,
      figure: inAway / inCalm,
      unit: 'x',
      target: { atMost: 2 },
      anchor: `${Math.round(inCalm)} ms before`,
    },
    none(
      'R7',
      `${what}: imports that are not 202`,
      imports.filter(({ status }) => status !== 202).length,
      `of ${imports.length}`,
    ),
    {
      goal: 'R7',
      what: `${what}: longest from 202 to the import's end`,
      figure: Math.max(...ended),
      unit: 'ms',
      target: { atMost: STARTED_WITHIN_MS },
      anchor: `${Math.round(Math.max(...calm.imports.map(({ endedMs = Infinity }) => endedMs)))} ms before`,
    },
  ];
}
