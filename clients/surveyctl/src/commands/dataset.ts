import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { causeOf } from '@survey/process/cause-of.ts';
import { findNatsUrl } from '../address.ts';
import { ACCOUNT, parsePositive } from '../arguments.ts';
import { argument, command, group, localCommand, optional, withDefault } from '../command.ts';
import { CommandError, EXIT } from '../command-error.ts';
import { loadJson, renderLoad } from '../load/load-rendering.ts';
import { openSource } from '../load/source.ts';
import { openProgress } from '../progress.ts';

const DATASET_EXAMPLE = `
The output is the same for the same size and seed. It refers to employees E1 to EN of the import API by import_id, so import
the snapshot as well. The order does not matter: facts about missing employees are deferred.

Example:
  $ npx surveyctl dataset generate --employees 1000 --months 12 --seed 7 --snapshot workforce.json > organisation.ndjson`;

const generate = localCommand('generate', {
  about: 'write the dataset of a generated organisation to standard output',
  help: DATASET_EXAMPLE,
  inputs: {
    employees: withDefault('--employees <n>', 'number of employees', 1_000, parsePositive),
    months: withDefault('--months <n>', 'months of data, with one survey cycle each', 12, parsePositive),
    seed: withDefault('--seed <n>', 'seed of the random numbers', 1, parsePositive),
    snapshot: optional('--snapshot <file>', 'file for the employee snapshot, a body for POST /v1/employees/imports'),
  },
  run: async ({ snapshot, ...size }) => {
    // Loaded on demand: the names of eight languages take a moment.
    const { datasetChunks, snapshotChunks } = await import('@survey/demo-data/write-dataset.ts');
    if (snapshot !== undefined) await write(snapshotChunks(size), snapshot);
    await pipeline(Readable.from(datasetChunks(size)), process.stdout, { end: false });
  },
});

async function write(chunks: Iterable<string>, file: string): Promise<void> {
  try {
    await pipeline(Readable.from(chunks), createWriteStream(file));
  } catch (error) {
    throw new CommandError(`cannot write ${file}: ${causeOf(error)}`, undefined, { cause: error });
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

const load = command('load', {
  about: 'publish the lines of a file as facts and wait until they are applied',
  help: LOAD_EXAMPLE,
  inputs: {
    file: argument('<file>', 'NDJSON file, or - for standard input'),
    accountId: ACCOUNT,
    nats: optional('--nats <url>', 'URL of NATS (default: NATS_URL, else .local/stack.json)'),
    stallTimeout: withDefault('--stall-timeout <seconds>', 'fail after this many seconds without progress', 180, parsePositive),
  },
  run: async (admin, { file, accountId, nats, stallTimeout }, command) => {
    const natsUrl = await findNatsUrl({ option: nats, environment: process.env['NATS_URL'], folder: process.cwd() });
    const { json } = command.optsWithGlobals<{ json?: boolean }>();
    // Loaded on demand: the bus and the schemas take a moment.
    const { loadDataset } = await import('../load/load-dataset.ts');
    const source = await openSource(file);
    const stallTimeoutMs = stallTimeout * 1_000;
    const maxRejections = json === true ? Infinity : LISTED_LINES;
    const outcome = await withProgress((progress) =>
      loadDataset(admin, { accountId, natsUrl, source, progress, stallTimeoutMs, maxRejections }),
    );
    if (outcome.tally.rejected > 0 || outcome.waitingLinesTotal > 0) process.exitCode = EXIT.failed;
    return { json: loadJson(outcome), text: () => renderLoad(outcome) };
  },
});

async function withProgress<T>(work: (progress: ReturnType<typeof openProgress>) => Promise<T>): Promise<T> {
  using progress = openProgress(process.stderr);
  return await work(progress);
}

export const dataset = group(
  'dataset',
  'load or generate surveys, employees, responses and more as lines of JSON (docs/dataset.md)',
  [load, generate],
);
