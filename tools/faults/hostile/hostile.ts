import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as fc from 'fast-check';
import { short } from '../../../test/support/figures.ts';
import { podMemory } from '../../../test/support/pod-memory/chart-memory.ts';
import { limitServices } from '../../../test/support/pod-memory/limit-services.ts';
import { WATCHED, watchMemory } from '../../../test/support/pod-memory/watch-memory.ts';
import { startWholeStack, type WholeStack } from '../../../test/failure/whole-stack.ts';
import { none, tellGoals, type Goal } from '../goals.ts';
import { targetAt } from './account-target.ts';
import { bodyShape } from './bodies.ts';
import { startBystander, type Seen } from './bystander.ts';
import { consoleShape, startHostileConsole, type HostileConsole } from './console.ts';
import { employeeShape, factShape, pageShape, prepareSurvey, queryShape, textShape } from './facts.ts';
import { LIMITS } from './limits.ts';
import type { Shape } from './shape.ts';
import { conflictShape, dictionaryShape, supervisorShape } from './snapshots.ts';

const HELP = `Attacks the service with generated shapes of input, each ten times as large until it ends or takes a minute.
Services have the memory that the chart gives them. Meanwhile, an account that does nothing unusual is watched.

  npm run test:hostile -- [SHAPES [SEED]] [options]   shapes of each group: 20, and a seed by chance, unless told

  --only GROUP     bodies, conflicts, supervisors, dictionaries, facts, employees, texts, queries, pages or console
  --shape TEXT     every shape whose name contains it
  --largest SIZE   no size above this one; default: none
  --model          mask with the model, too, which takes much longer
  --ablations      takes away one limit at a time, and fails unless its attack is noticed
  --untimed        judges what happens, but not when, for machines that do something else meanwhile
  --json FILE      writes the rows there, too
`;

const GROUPS: Readonly<Record<string, fc.Arbitrary<Shape>>> = {
  bodies: bodyShape,
  conflicts: conflictShape,
  supervisors: supervisorShape,
  dictionaries: dictionaryShape,
  facts: factShape,
  employees: employeeShape,
  texts: textShape,
  queries: queryShape,
  pages: pageShape,
  console: consoleShape,
};

// Samples in which every shape of a group occurs.
const ENOUGH_FOR_ALL = 2_000;
const LONGEST_MS = 60_000;
// Below this, a time says more about the machine than about the size.
const MEASURABLE_MS = 500;
const MAX_EXPONENT = 1.15;
const MAX_P99_MS = 1_000;
const MAX_SLOWDOWN = 5;

interface Options {
  readonly largest: number;
  readonly settings: Readonly<Record<string, string>>;
  readonly preload?: string;
  readonly isTimed: boolean;
}

/** What one shape cost, at its largest size. */
interface Cost {
  readonly shape: string;
  readonly size: number;
  readonly told: string;
  readonly tookMs: number;
  // Growth of the time with the size; absent where the times are too short.
  readonly exponent: number | undefined;
}

/** Runs the shapes on one stack, one after the other. Returns the rows that are judged. */
async function attackWith(shapes: readonly Shape[], { largest, settings, preload, isTimed }: Options): Promise<Goal[]> {
  const folder = await mkdtemp(join(tmpdir(), 'survey-hostile-'));
  try {
    await using limited = new AsyncDisposableStack();
    const limits = await limitServices(limited);
    await using stack = await startWholeStack({
      folder,
      settings,
      logFolder: folder,
      nodeOptions: (service) => [limits(service), ...(preload === undefined ? [] : [`--import=${preload}`])].join(' '),
    });
    await using webConsole = await startHostileConsole(stack);
    await using memory = watchMemory((name) => (name === 'console' ? webConsole : stack.services[name]).pid);
    const own = await targetAt(stack, webConsole);
    await prepareSurvey(own);
    const bystander = await startBystander(stack, own.account, !isTimed);
    await bystander.seen();
    const alone = await bystander.seen();
    const costs: Cost[] = [];
    const seen: Seen[] = [];
    for (const shape of shapes) {
      const cost = await grow(stack, webConsole, shape, largest);
      costs.push(cost);
      console.log(
        `${shape.name}: ${cost.size} took ${Math.round(cost.tookMs)} ms (${cost.told})${cost.exponent === undefined ? '' : `, exponent ${short(cost.exponent)}`}`,
      );
      if (deathsOf(stack).length > 0) break;
      seen.push(await bystander.seen());
      const errors = seen.at(-1)?.errors ?? [];
      if (errors.length > 0) console.log(`  somebody else had ${errors.length} errors, such as ${errors[0]}`);
    }
    const attacked = deathsOf(stack).length === 0 ? worstOf(seen) : undefined;
    await bystander.stop();
    return [
      ...deathsOf(stack).map((death) => none(`processes that ended, ${death}, at: ${costs.at(-1)?.shape}`, 1)),
      none('the console does not answer any more', (await webConsole.isServing()) ? 0 : 1),
      ...WATCHED.map((service): Goal => ({
        what: `${service}: most memory of its own`,
        figure: memory.peakMebibytes(service),
        unit: 'MiB',
        target: { atMost: podMemory(service).podMebibytes },
        anchor: `${podMemory(service).podMebibytes} MiB in the chart`,
      })),
      ...(attacked === undefined ? [] : besideGoals(alone, attacked, isTimed)),
      ...(isTimed ? costs.flatMap((cost) => growthGoal(cost)) : []),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function grow(stack: WholeStack, webConsole: HostileConsole, shape: Shape, largest: number): Promise<Cost> {
  const seen: { size: number; tookMs: number; told: string }[] = [];
  for (const size of shape.sizes.filter((one) => one <= largest)) {
    const target = await targetAt(stack, webConsole);
    await shape.prepare?.(target, size);
    const startedAt = performance.now();
    const told = await shape.attack(target, size).catch((error: unknown) => `no answer: ${String(error)}`);
    const tookMs = performance.now() - startedAt;
    seen.push({ size, tookMs, told });
    if (tookMs > LONGEST_MS || deathsOf(stack).length > 0) break;
  }
  const [last, before] = [seen.at(-1), seen.at(-2)];
  const isMeasurable = last !== undefined && before !== undefined && before.tookMs > MEASURABLE_MS;
  return {
    shape: shape.name,
    size: last?.size ?? 0,
    told: last?.told ?? 'nothing',
    tookMs: last?.tookMs ?? 0,
    exponent: isMeasurable ? Math.log(last.tookMs / before.tookMs) / Math.log(last.size / before.size) : undefined,
  };
}

const worstOf = (seen: readonly Seen[]): Seen => ({
  errors: seen.flatMap(({ errors }) => errors),
  readsP99Ms: seen.reduce((worst, { readsP99Ms }) => Math.max(worst, readsP99Ms), 0),
  importsP99Ms: seen.reduce((worst, { importsP99Ms }) => Math.max(worst, importsP99Ms), 0),
});

const deathsOf = ({ services }: WholeStack): string[] => Object.values(services).flatMap(({ deaths }) => deaths);

function besideGoals(alone: Seen, attacked: Seen, isTimed: boolean): Goal[] {
  const p99 = (what: string, before: number, during: number): Goal => ({
    what: `somebody else's ${what}: p99`,
    figure: during,
    unit: 'ms',
    target: { atMost: Math.min(MAX_P99_MS, Math.max(MAX_SLOWDOWN * before, MEASURABLE_MS)) },
    anchor: `${Math.round(before)} ms alone`,
  });
  return [
    none("somebody else's errors", attacked.errors.length, attacked.errors.slice(0, 3).join('; ')),
    ...(isTimed
      ? [p99('reads', alone.readsP99Ms, attacked.readsP99Ms), p99('imports', alone.importsP99Ms, attacked.importsP99Ms)]
      : []),
  ];
}

function growthGoal({ shape, size, exponent, tookMs }: Cost): Goal[] {
  if (exponent === undefined) return [];
  const anchor = `${Math.round(tookMs)} ms at ${size}`;
  return [{ what: `growth: ${shape}`, figure: exponent, unit: '', target: { atMost: MAX_EXPONENT }, anchor }];
}

/** Takes each limit away in turn. Every row is one limit whose absence must be noticed. */
async function ablate(options: Options): Promise<Goal[]> {
  const goals: Goal[] = [];
  for (const { name, shape, ...limit } of LIMITS) {
    const settings = { ...options.settings, WITHOUT_LIMIT: JSON.stringify(limit) };
    const preload = new URL('without-limit.ts', import.meta.url).href;
    const rows = await attackWith([shape], { ...options, settings, preload });
    const missed = rows.filter(({ figure, target }) => 'atMost' in target && !(figure <= target.atMost));
    console.log(`without ${name}: ${missed.map(({ what }) => what).join('; ') || 'not noticed'}`);
    goals.push({
      what: `noticed without ${name}`,
      figure: missed.length,
      unit: '',
      target: { atLeast: 1 },
      anchor: missed[0]?.what ?? '',
    });
  }
  return goals;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean' },
      only: { type: 'string' },
      shape: { type: 'string' },
      largest: { type: 'string' },
      model: { type: 'boolean' },
      ablations: { type: 'boolean' },
      untimed: { type: 'boolean' },
      json: { type: 'string' },
    },
  });
  if (values.help === true) return console.log(HELP);
  const [count = '20', chosen] = positionals;
  const seed = Number(chosen ?? Math.floor(Math.random() * 2 ** 31));
  const groups = Object.entries(GROUPS).filter(([name]) => values.only === undefined || values.only === name);
  if (groups.length === 0) throw new Error(`--only ${values.only}: one of ${Object.keys(GROUPS).join(', ')}`);
  const options = {
    largest: Number(values.largest ?? Infinity),
    isTimed: values.untimed !== true,
    settings: { MASKER: values.model === true ? 'rules+model' : 'rules' },
  };
  console.log(`seed ${seed}`);
  const numRuns = values.shape === undefined ? Number(count) : ENOUGH_FOR_ALL;
  const shapes = groups.flatMap(([, shape]) => fc.sample(shape, { seed, numRuns }));
  const unique = [...new Map(shapes.map((shape) => [shape.name, shape])).values()].filter(({ name }) =>
    name.includes(values.shape ?? ''),
  );
  if (unique.length === 0) throw new Error(`--shape ${values.shape}: no shape's name contains it`);
  await tellGoals(values.ablations === true ? await ablate(options) : await attackWith(unique, options), values.json);
}

await main();
