import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { parsePositive } from '../arguments.ts';
import { CommandError } from '../command-error.ts';

const EXAMPLE = `
The same size and seed give the same lines. They refer to employees E1 to EN of the import API by import_id: import the snapshot as well, before or
after; what refers to somebody who is not there yet waits.

Example:
  $ npx surveyctl dataset generate --employees 1000 --months 12 --seed 7 --snapshot workforce.json > organisation.ndjson`;

interface GenerateOptions {
  employees: number;
  months: number;
  seed: number;
  snapshot?: string;
}

export function addDatasetGenerate(dataset: Command): void {
  dataset
    .command('generate')
    .description('write the dataset of an invented organisation to standard output')
    .option('--employees <n>', 'size of the workforce', parsePositive, 1_000)
    .option('--months <n>', 'how far back it goes, a monthly survey with a cycle for each', parsePositive, 12)
    .option('--seed <n>', 'another seed makes another organisation', parsePositive, 1)
    .option('--snapshot <file>', 'also write the workforce, as a body for POST /v1/employees/imports')
    .addHelpText('after', EXAMPLE)
    .action(async ({ snapshot, ...size }: GenerateOptions) => {
      // Loaded on demand: the names of eight languages take a moment.
      const { datasetChunks, snapshotChunks } = await import('@survey/dataset/generate/write-dataset.ts');
      if (snapshot !== undefined) await write(snapshotChunks(size), snapshot);
      await pipeline(Readable.from(datasetChunks(size)), process.stdout, { end: false });
    });
}

async function write(chunks: Iterable<string>, file: string): Promise<void> {
  try {
    await pipeline(Readable.from(chunks), createWriteStream(file));
  } catch (error) {
    throw new CommandError(`${file} cannot be written`, undefined, { cause: error });
  }
}
