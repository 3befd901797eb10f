import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { measureConsole } from './console.ts';
import { measureErasure } from './erasure.ts';
import { measureExport } from './export.ts';
import { measureFacts } from './facts.ts';
import { measureFairness } from './fairness.ts';
import { judge, renderFigures, type Figure, type Judged } from '../support/figures.ts';
import { measureGateway } from './gateway.ts';
import { measureGrowth } from './growth.ts';
import { measureImports } from './import.ts';
import { measureCrossAccountReads } from './cross-account-reads.ts';
import { measureBaselines } from './baselines.ts';
import { measureNight } from './night/night.ts';
import { measureResponses } from './responses.ts';
import { measureScaleOut, whatScaleOutMisses } from './scale-out.ts';
import { measureScores } from './scores.ts';
import { measureStart } from './start.ts';
import { measureTextStages } from './text-stages.ts';
import { measureTexts } from './texts.ts';
import { openBenchStack, type BenchStack } from './bench-stack.ts';
import { addNeighbours, besideNeighbours } from './neighbours.ts';
import { writeReport, type Measured } from './report/write-report.ts';
import { podMemory } from '../support/pod-memory/chart-memory.ts';
import { WATCHED } from '../support/pod-memory/watch-memory.ts';

type Measure = (started: AsyncDisposableStack, isSmoke: boolean) => Promise<Figure[]>;

interface Benchmark {
  readonly about: string;
  readonly measure: Measure;
  // The same in a database with other accounts.
  readonly measureWithNeighbours?: Measure;
  // What this machine lacks, if anything.
  readonly missing?: () => Promise<string | undefined>;
}

const onStack = (
  measure: (bench: BenchStack) => Promise<Figure[]>,
): Required<Pick<Benchmark, 'measure' | 'measureWithNeighbours'>> => ({
  measure: async (started, isSmoke) => {
    const bench = await openBenchStack(started, isSmoke);
    return [...(await measure(bench)), ...memoryFigures(bench)];
  },
  measureWithNeighbours: async (started, isSmoke) => {
    const bench = await openBenchStack(started, isSmoke);
    await addNeighbours(bench);
    return [...(await measure(bench)), ...memoryFigures(bench)];
  },
});

// Of the memory that the chart gives a pod, so that a larger customer does not end it.
const MAX_SHARE = 0.8;

function memoryFigures({ memory }: BenchStack): Figure[] {
  return WATCHED.map((process) => ({
    what: `peak memory of ${process}`,
    unit: 'MiB',
    ours: [memory.peakMebibytes(process)],
    beside: { what: 'memory of the pod', values: [podMemory(process).podMebibytes] },
    goal: { atMost: MAX_SHARE },
  }));
}

const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  import: {
    about: 'snapshots of 10k, 100k and 1M employees, beside COPY and SQL; 300 small accounts',
    ...onStack(measureImports),
  },
  fairness: { about: 'small imports and pages while another account imports 200k', ...onStack(measureFairness) },
  export: {
    about: 'pages of 1M employees and assignments at any offset; whole lists beside COPY',
    ...onStack(measureExport),
  },
  scores: {
    about: 'scores over 10M answers, beside a plain loop and SQL, with and without the disclosure guard',
    measure: measureScores,
  },
  'text-stages': {
    about: 'masking by rules, and by rules and model, topics and sentiment: answers per second of CPU time, memory',
    measure: measureTextStages,
  },
  texts: {
    about: 'pages of 2M free-text answers at any offset; counts of respondents beside SQL',
    ...onStack(measureTexts),
  },
  growth: {
    about: 'growth of the cost of import, export, scores and free text over three sizes',
    ...onStack(measureGrowth),
  },
  erasure: {
    about: 'deletion of an account with 100k employees and 1M answers, and reads of another one meanwhile',
    ...onStack(measureErasure),
  },
  facts: {
    about: 'publishing facts to NATS that is on the disk when it acknowledges, beside its default',
    measure: measureFacts,
  },
  responses: {
    about: 'responses that arrive as facts: growth, per second of CPU time, and scores of another account meanwhile',
    ...onStack(measureResponses),
  },
  console: {
    about: 'pages of the web console for 100 sessions, 2,000 imports and 300 attributes',
    ...onStack(measureConsole),
  },
  night: {
    about: 'a night of imports and exports of many customers: predicted, and in real time with a hundredth',
    ...onStack(measureNight),
  },
  'cross-account-reads': {
    about: 'statements that read rows of other accounts, among 200 equal ones',
    measure: measureCrossAccountReads,
  },
  start: { about: 'start of each service, of surveyctl and of npm start', measure: measureStart },
  'scale-out': {
    about: 'imports, pages and polls on a Citus cluster, beside plain PostgreSQL',
    measure: measureScaleOut,
    missing: whatScaleOutMisses,
  },
  gateway: { about: 'requests beside a plain proxy hop; checking an API key', ...onStack(measureGateway) },
  baselines: {
    about: 'straightforward code: a list with OFFSET, an import by statements over all employees',
    ...onStack(measureBaselines),
  },
};

const REPORT = new URL('../../.local/report', import.meta.url).pathname;

const HELP = `Measures the service alternately with lower bounds and baselines, and prints the goals that are missed.

  npm run bench -- [NAME …] [--smoke] [--neighbours] [--earlier FILE]

${Object.entries(BENCHMARKS)
  .map(([name, { about }]) => `  ${name.padEnd(20)} ${about}`)
  .join('\n')}

  --smoke          use small sizes, to check that the benchmarks work
  --neighbours     measure each benchmark of the whole service twice, the second time in a database that
                   four accounts of 30,000 to 300,000 employees and 2,000 of 200 have filled, and compare
  --earlier FILE   also show the figures.json of an earlier run in the report

The figures are written to .local/report: figures.json for programs, index.html with a picture for each
benchmark.

A goal limits the ratio of the medians when there is something to compare with, otherwise the median.
A benchmark that needs what the machine lacks is left out, and named at the end, unless it is requested.
Exit codes: 0 all goals met, 1 a goal was missed. With --smoke, 0 unless a benchmark failed.
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean' },
      smoke: { type: 'boolean', default: false },
      neighbours: { type: 'boolean', default: false },
      earlier: { type: 'string' },
    },
  });
  if (values.help) return console.log(HELP);
  const names = positionals.length > 0 ? positionals : Object.keys(BENCHMARKS);
  const unknown = names.find((name) => !(name in BENCHMARKS));
  if (unknown !== undefined) throw new Error(`cannot run ${unknown}: no such benchmark, see --help`);
  const earlier = values.earlier === undefined ? [] : (JSON.parse(await readFile(values.earlier, 'utf8')) as Measured[]);
  const all: Measured[] = [];
  const leftOut: string[] = [];
  for (const name of names) {
    const missing = await BENCHMARKS[name]?.missing?.();
    if (missing !== undefined) {
      if (positionals.length > 0) throw new Error(`cannot run ${name}: ${missing}`);
      leftOut.push(`left out: ${name}, ${missing}`);
      continue;
    }
    const figures = await run(name, values.smoke, values.neighbours);
    console.log(`\n${name}\n${renderFigures(figures)}\n`);
    all.push(...figures.map((figure) => ({ benchmark: name, ...figure })));
    // After each benchmark, in case a later one fails.
    await writeReport(REPORT, all, earlier);
  }
  const missed = values.smoke ? [] : all.filter(({ met }) => met === false);
  for (const { benchmark, what } of missed) console.log(`missed its goal: ${benchmark}, ${what}`);
  for (const line of leftOut) console.log(line);
  if (missed.length > 0) process.exitCode = 1;
}

async function run(name: string, isSmoke: boolean, hasNeighbours: boolean): Promise<Judged[]> {
  const benchmark = BENCHMARKS[name];
  if (benchmark === undefined) return [];
  const alone = await measured(benchmark.measure, isSmoke);
  const again = hasNeighbours ? benchmark.measureWithNeighbours : undefined;
  const figures = again === undefined ? alone : [...alone, ...besideNeighbours(alone, await measured(again, isSmoke))];
  return figures.map(judge);
}

async function measured(measure: Measure, isSmoke: boolean): Promise<Figure[]> {
  await using started = new AsyncDisposableStack();
  return await measure(started, isSmoke);
}

await main();
