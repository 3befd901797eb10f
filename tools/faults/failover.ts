import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { percentileOf } from '../../test/support/figures.ts';
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

const about = Object.entries(PARTS).map(([name, part]) => `  ${name.padEnd(15)} ${part.about}`);

await new Command('npm run test:failover')
  .description(
    `Replaces servers of replicated stores while imports run, and prints each figure with its target.\n\n${about.join('\n')}`,
  )
  .option('--only <part...>', 'run only these parts', part, [])
  .option('--seed <number>', 'seed of the snapshots (default: the current time)', whole, Date.now() % 1e9)
  .option('--rounds <number>', 'repetitions of each fault', whole, 1)
  .option('--json <file>', 'also write the figures to this file')
  .addHelpText('after', '\nExit codes: 0 every target was met, 1 one was missed.')
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

function whole(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('must be a whole number of at least 1');
  return number;
}

function part(text: string, earlier: readonly string[]): string[] {
  if (!(text in PARTS)) throw new InvalidArgumentError(`must be one of ${Object.keys(PARTS).join(', ')}`);
  return [...earlier, text];
}
