import { join } from 'node:path';
import { percentileOf } from '../../test/support/figures.ts';
import { faultCommand } from './fault-command.ts';
import { runFailovers, type FailoverReport } from './failover-faults.ts';
import { PARTS, type Part } from './failover-parts.ts';
import { inFolder } from '../../test/support/in-folder.ts';
import { startFaultyStack } from '../../test/failure/faulty-stack.ts';
import { none, tellGoals, type Goal } from './goals.ts';
import { ProgramMissingError } from './patroni-cluster.ts';

// Patroni's leader key expires; strict replication also waits for a new copy of the lost server.
const CONTINUES_WITHIN_MS = 120_000;
// No process is paused here, but a busy machine can keep one from its transaction for a second.
const SETTINGS = { IDLE_IN_TRANSACTION_TIMEOUT_SECONDS: '30' };

interface Options {
  readonly only: string[];
  readonly seed: number;
  readonly rounds: number;
  readonly json?: string;
}

await faultCommand(
  'test:failover',
  'Replaces servers of replicated stores while imports run, and prints each figure with its target.',
  PARTS,
)
  .action(main)
  .parseAsync();

async function main({ only, seed, rounds, json }: Options): Promise<void> {
  console.log(`seed ${seed}`);
  const goals: Goal[] = [];
  const skipped: string[] = [];
  for (const [name, one] of Object.entries(PARTS)) {
    if (only.length > 0 && !only.includes(name)) continue;
    console.log(name);
    const report = await inFolder(async (folder): Promise<FailoverReport | string> => {
      await using started = new AsyncDisposableStack();
      const replicated = await one.start(folder, started).catch((error: unknown) => {
        if (error instanceof ProgramMissingError) return error.message;
        throw error;
      });
      if (typeof replicated === 'string') return replicated;
      const { given, failovers } = replicated;
      const stack = started.use(await startFaultyStack({ folder: join(folder, 'stack'), given, settings: SETTINGS }));
      const all = Array.from({ length: rounds }, () => failovers).flat();
      return await runFailovers(stack, all, { seed, replaysFacts: one.loses === 'commits' });
    });
    if (typeof report === 'string') skipped.push(`skipped: failover ${name}: ${report}`);
    else goals.push(...goalsOf(name, one, report));
  }
  await tellGoals(goals, json);
  for (const line of skipped) console.log(line);
}

function goalsOf(name: string, { loses }: Part, report: FailoverReport): Goal[] {
  const { faults, imports, lost, wrong, events, facts, pausesMs } = report;
  for (const what of [...(loses === 'commits' ? [] : lost), ...wrong]) console.log(`  ✗ ${what}`);
  const counted = (what: string, figure: number, of: number, mayBeLost = false): Goal => ({
    ...none(`${name}: ${what}`, figure, `of ${of}, ${faults} faults`),
    target: { atMost: mayBeLost ? of : 0 },
  });
  return [
    counted('imports lost', lost.length, imports, loses === 'commits'),
    counted('imports applied twice, wrong or stuck', wrong.length, imports),
    counted('events missing from the stream', events.unpublished, events.count, loses === 'streams'),
    counted('events published twice', events.repeated, events.count),
    counted('acknowledged facts not applied', facts.missing, facts.acknowledged, loses === 'streams'),
    {
      what: `${name}: longest time without a 202`,
      figure: Math.max(...pausesMs),
      unit: 'ms',
      target: { atMost: CONTINUES_WITHIN_MS },
      anchor: `median ${Math.round(percentileOf(pausesMs, 50))} ms of ${faults}`,
    },
  ];
}
