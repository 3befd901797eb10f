import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { startFaultyStack, type FaultyStack } from './faulty-stack.ts';
import { sendLateRequests } from './late-requests.ts';
import { hitEveryStep } from './named-steps.ts';
import { race } from './races.ts';
import { runRandomFaults } from './random-faults.ts';

interface Options {
  readonly seed: number;
  readonly rounds: number;
  readonly faults: number;
  readonly only?: Part;
}

const AT_EACH_PLACE = 5;
const RACES = 10;
const CUSTOMERS = 4;

// Each answers with everything that it has found wrong.
const PERFORM = {
  steps: (stack: FaultyStack) => hitEveryStep([stack], ({ step, fault }) => console.log(`  ${step}, ${fault.name}`)),
  late: (stack: FaultyStack) => sendLateRequests(stack, AT_EACH_PLACE),
  races: (stack: FaultyStack) => race(stack, RACES),
  random: async (stack: FaultyStack, { seed, faults }: Options) => {
    const report = await runRandomFaults(stack, { seed, faults, customers: CUSTOMERS });
    console.log(`  seed ${seed}: ${report.imports} imports under ${JSON.stringify(report.faults)}`);
    return report.wrong;
  },
};
type Part = keyof typeof PERFORM;
const PARTS: readonly Part[] = ['steps', 'late', 'races', 'random'];

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
      const wrong = await withStack((stack) => PERFORM[part](stack, { ...options, seed: seed + round }));
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

async function withStack<T>(work: (stack: FaultyStack) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'survey-faults-'));
  try {
    await using stack = await startFaultyStack({ folder });
    return await work(stack);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
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
