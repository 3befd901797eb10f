import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { findNatsUrl } from '../address.ts';
import { accountOption, parsePositive } from '../arguments.ts';
import { CommandError, EXIT } from '../command-error.ts';
import { loadJson, renderLoad } from '../load/load-rendering.ts';
import { openSource } from '../load/source.ts';
import { print } from '../output.ts';
import { openProgress } from '../progress.ts';
import { withConnection } from '../with-connection.ts';

export function addDatasetCommands(program: Command): void {
  const dataset = program
    .command('dataset')
    .description('load or generate surveys, employees, responses and more as lines of JSON (docs/dataset.md)');
  addDatasetLoad(dataset);
  addDatasetGenerate(dataset);
}

const DATASET_EXAMPLE = `
The output is the same for the same size and seed. It refers to employees E1 to EN of the import API by import_id, so import
the snapshot as well. The order does not matter: facts about missing employees are deferred.

Example:
  $ npx surveyctl dataset generate --employees 1000 --months 12 --seed 7 --snapshot workforce.json > organisation.ndjson`;

interface GenerateOptions {
  employees: number;
  months: number;
  seed: number;
  snapshot?: string;
}

function addDatasetGenerate(dataset: Command): void {
  dataset
    .command('generate')
    .description('write the dataset of a generated organisation to standard output')
    .option('--employees <n>', 'number of employees', parsePositive, 1_000)
    .option('--months <n>', 'months of data, with one survey cycle each', parsePositive, 12)
    .option('--seed <n>', 'seed of the random numbers', parsePositive, 1)
    .option('--snapshot <file>', 'file for the employee snapshot, a body for POST /v1/employees/imports')
    .addHelpText('after', DATASET_EXAMPLE)
    .action(async ({ snapshot, ...size }: GenerateOptions) => {
      // Loaded on demand: the names of eight languages take a moment.
      const { datasetChunks, snapshotChunks } = await import('@survey/demo-data/write-dataset.ts');
      if (snapshot !== undefined) await write(snapshotChunks(size), snapshot);
      await pipeline(Readable.from(datasetChunks(size)), process.stdout, { end: false });
    });
}

async function write(chunks: Iterable<string>, file: string): Promise<void> {
  try {
    await pipeline(Readable.from(chunks), createWriteStream(file));
  } catch (error) {
    throw new CommandError(`cannot write ${file}`, undefined, { cause: error });
  }
}

const LISTED_LINES = 50;

const LOAD_EXAMPLE = `
Waits until every service has applied its facts. Invalid lines are rejected with a reason and do not stop the others.
Loading the same file again has no effect.

Exit codes: 0 all lines applied, 1 lines were rejected or deferred, or the command failed.

Examples:
  $ npx surveyctl dataset load organisation.ndjson --account 1
  $ zcat big.ndjson.gz | npx surveyctl dataset load - --account 1 --json`;

interface LoadCommandOptions {
  account: number;
  nats?: string;
  stallTimeout: number;
}

function addDatasetLoad(dataset: Command): void {
  dataset
    .command('load')
    .description('publish the lines of a file as facts and wait until they are applied')
    .argument('<file>', 'NDJSON file, or - for standard input')
    .addOption(accountOption())
    .option('--nats <url>', 'URL of NATS (default: NATS_URL, else .local/stack.json)')
    .option('--stall-timeout <seconds>', 'fail after this many seconds without progress', parsePositive, 180)
    .addHelpText('after', LOAD_EXAMPLE)
    .action(
      withConnection<[string, LoadCommandOptions]>(async (admin, command, file, { account, nats, stallTimeout }) => {
        const natsUrl = await findNatsUrl({ option: nats, environment: process.env['NATS_URL'], folder: process.cwd() });
        const { json } = command.optsWithGlobals<{ json?: boolean }>();
        // Loaded on demand: the bus and the schemas take a moment.
        const { loadDataset } = await import('../load/load-dataset.ts');
        const source = await openSource(file);
        const outcome = await withProgress((progress) =>
          loadDataset(admin, {
            accountId: account,
            natsUrl,
            source,
            progress,
            stallTimeoutMs: stallTimeout * 1_000,
            kept: json === true ? Infinity : LISTED_LINES,
          }),
        );
        print(command, loadJson(outcome), () => renderLoad(outcome));
        if (outcome.tally.rejected > 0 || outcome.waitingLinesTotal > 0) process.exitCode = EXIT.failed;
      }),
    );
}

async function withProgress<T>(work: (progress: ReturnType<typeof openProgress>) => Promise<T>): Promise<T> {
  using progress = openProgress(process.stderr);
  return await work(progress);
}
