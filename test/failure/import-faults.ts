import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { startFaultyStack, type FaultyStack } from './faulty-stack.ts';
import { sendLateRequests } from './late-requests.ts';
import { hitEveryStep } from './named-steps.ts';
import { race } from './races.ts';
import { runRandomFaults } from './random-faults.ts';
import { measureTakeovers } from './takeovers.ts';

interface Options {
  readonly seed: number;
  readonly rounds: number;
  readonly faults: number;
  readonly only?: Part;
}

const AT_EACH_PLACE = 5;
const RACES = 10;
const CUSTOMERS = 4;
const RESUMED_WITHIN_MS = 10_000;
const FREE_WITHIN_MS = 1_000;

// Each answers with everything that it has found wrong.
const PERFORM = {
  steps: (stack: FaultyStack) =>
    hitEveryStep([stack], ({ step, fault }, isWrong) => console.log(`  ${isWrong ? '✗' : '✓'} ${step}, ${fault.name}`)),
  late: (stack: FaultyStack) => sendLateRequests(stack, AT_EACH_PLACE),
  races: (stack: FaultyStack) => race(stack, RACES),
  random: async (stack: FaultyStack, { seed, faults }: Options) => {
    const report = await runRandomFaults(stack, { seed, faults, customers: CUSTOMERS });
    console.log(`  seed ${seed}: ${report.imports} imports under ${JSON.stringify(report.faults)}`);
    return report.wrong;
  },
  takeovers: async (stack: FaultyStack, { faults }: Options) => {
    const all = await measureTakeovers(stack, Math.ceil(faults / 5));
    const [resumedMs, freeMs] = [all.map((one) => one.resumedMs), all.map((one) => one.freeMs)];
    console.log(`  resumed after a kill: ${quantiles(resumedMs)}; the place free again: ${quantiles(freeMs)}`);
    const isLate = Math.max(...resumedMs) > RESUMED_WITHIN_MS || Math.max(...freeMs) > FREE_WITHIN_MS;
    return isLate ? [`resumed in ${RESUMED_WITHIN_MS} ms and free in ${FREE_WITHIN_MS} ms is what is promised`] : [];
  },
};
type Part = keyof typeof PERFORM;
const PARTS: readonly Part[] = ['steps', 'late', 'races', 'random', 'takeovers'];

await new Command('pnpm test:faults')
  .description('Kills and pauses everything that takes part in an import, and compares what becomes of it with a plain model.')
  .option(
    '--seed <number>',
    'what happens at random: the same for the same seed (default: by the clock)',
    whole,
    Date.now() % 1e9,
  )
  .option('--rounds <number>', 'how often everything is done', whole, 1)
  .option('--faults <number>', 'random faults in each round', whole, 100)
  .option('--only <part>', `one of ${PARTS.join(', ')}`, part)
  .action(main)
  .parseAsync();

async function main(options: Options): Promise<void> {
  const { seed, rounds, only } = options;
  console.log(`seed ${seed}`);
  let found = 0;
  for (let round = 0; round < rounds; round += 1) {
    for (const part of only === undefined ? PARTS : [only]) {
      const wrong = await withStack(part, (stack) => PERFORM[part](stack, { ...options, seed: seed + round }));
      found += wrong.length;
      console.log(`${wrong.length === 0 ? '✓' : '✗'} round ${round + 1}: ${part}`);
      for (const what of wrong) console.log(`    ${what}`);
    }
  }
  if (found > 0) {
    console.log(`${found} found: --seed ${seed} does the same again`);
    process.exitCode = 1;
  }
}

// How soon somebody takes over is a matter of the interval that production has.
async function withStack<T>(part: Part, work: (stack: FaultyStack) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'survey-faults-'));
  try {
    await using stack = await startFaultyStack({ folder, settings: part === 'takeovers' ? { SWEEP_SECONDS: '5' } : {} });
    return await work(stack);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function quantiles(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): string => `${Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0)} ms`;
  return `median ${at(0.5)}, p99 ${at(0.99)}`;
}

function whole(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('A whole number from 1.');
  return number;
}

function part(text: string): Part {
  const known = PARTS.find((name) => name === text);
  if (known === undefined) throw new InvalidArgumentError(`One of ${PARTS.join(', ')}.`);
  return known;
}
