import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { parsePositive } from '../arguments.ts';
import { CommandError } from '../command-error.ts';
import { addDatasetLoad } from './dataset-load.ts';

export function addDatasetCommands(program: Command): void {
  const dataset = program
    .command('dataset')
    .description('load or generate surveys, employees, responses and more as lines of JSON (docs/dataset.md)');
  addDatasetLoad(dataset);
  addDatasetGenerate(dataset);
}

const EXAMPLE = `
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
    .addHelpText('after', EXAMPLE)
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
