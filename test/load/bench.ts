import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { measureExport } from './export.ts';
import { measureFairness } from './fairness.ts';
import { judge, renderFigures, type Figure, type Judged } from '../support/figures.ts';
import { measureGateway } from './gateway.ts';
import { measureGrowth } from './growth.ts';
import { measureImports } from './import.ts';
import { measureNeighbours } from './cross-account-reads.ts';
import { measurePeers } from './peers.ts';
import { measureScores } from './scores.ts';
import { measureTextStages } from './text-stages.ts';
import { measureTexts } from './texts.ts';
import { openWorld } from './bench-stack.ts';

type Measure = (started: AsyncDisposableStack, isSmoke: boolean) => Promise<Figure[]>;

const inWorld =
  (measure: (world: Awaited<ReturnType<typeof openWorld>>) => Promise<Figure[]>): Measure =>
  async (started, isSmoke) =>
    measure(await openWorld(started, isSmoke));

const BENCHMARKS: Readonly<Record<string, { readonly about: string; readonly measure: Measure }>> = {
  import: { about: 'snapshots of 10k, 100k and 1M employees beside COPY of the same bytes', measure: inWorld(measureImports) },
  fairness: { about: 'small imports and pages while another account imports 200k', measure: inWorld(measureFairness) },
  export: {
    about: 'pages of 1M employees and assignments at any depth, and all of them beside COPY',
    measure: inWorld(measureExport),
  },
  scores: { about: '10M answers beside a bare loop and SQL', measure: measureScores },
  'text-stages': {
    about: 'masking, topics and sentiment of what 100k employees wrote: answers for a second of processor time, memory',
    measure: measureTextStages,
  },
  texts: {
    about: 'pages of 2M free-text answers at any depth, and the count of people beside SQL',
    measure: inWorld(measureTexts),
  },
  growth: {
    about: 'import, export, scores and free text at three sizes, and how their cost grows',
    measure: inWorld(measureGrowth),
  },
  neighbours: { about: 'whether any statement reads more than one account, beside 200 like it', measure: measureNeighbours },
  gateway: { about: 'requests beside a plain proxy hop, and the check of a key', measure: inWorld(measureGateway) },
  peers: {
    about: 'what a good team would write first: a list with OFFSET, an import row by row',
    measure: inWorld(measurePeers),
  },
};

const HELP = `Measures the service beside floors and peers in the same run, by turns, and says which goals are met.

  npm run bench -- [NAME …] [--smoke] [--json FILE]

${Object.entries(BENCHMARKS)
  .map(([name, { about }]) => `  ${name.padEnd(10)} ${about}`)
  .join('\n')}

  --smoke      small sizes: whether everything still works, not how fast
  --json FILE  writes the figures there, too

A goal is of the ratio where something stands beside, else of the median. Exit code: 0 all goals met, 1 not all; with --smoke 0 unless something broke.
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean' }, smoke: { type: 'boolean', default: false }, json: { type: 'string' } },
  });
  if (values.help) return console.log(HELP);
  const names = positionals.length > 0 ? positionals : Object.keys(BENCHMARKS);
  const unknown = names.find((name) => !(name in BENCHMARKS));
  if (unknown !== undefined) throw new Error(`there is no benchmark ${unknown}: see --help`);
  const all: (Judged & { readonly benchmark: string })[] = [];
  for (const name of names) {
    const figures = await run(name, values.smoke);
    console.log(`\n${name}\n${renderFigures(figures)}\n`);
    all.push(...figures.map((figure) => ({ benchmark: name, ...figure })));
  }
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(all, null, 2)}\n`);
  const missed = all.filter(({ met }) => met === false);
  console.log(
    values.smoke
      ? `${all.length} figures, of small sizes: they measure nothing`
      : `${all.length - missed.length} of ${all.length} figures within their goals`,
  );
  if (missed.length > 0 && !values.smoke) process.exitCode = 1;
}

async function run(name: string, isSmoke: boolean): Promise<Judged[]> {
  await using started = new AsyncDisposableStack();
  const benchmark = BENCHMARKS[name];
  return benchmark === undefined ? [] : (await benchmark.measure(started, isSmoke)).map(judge);
}

await main();
