import type { Command } from 'commander';
import { findNatsUrl } from '../address.ts';
import { accountOption, parsePositive } from '../arguments.ts';
import { withConnection } from '../with-connection.ts';
import { EXIT } from '../command-error.ts';
import { loadJson, renderLoad } from '../load/load-rendering.ts';
import { openSource } from '../load/source.ts';
import { print } from '../output.ts';
import { openProgress } from '../progress.ts';

const LISTED_LINES = 50;

const EXAMPLE = `
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

export function addDatasetLoad(dataset: Command): void {
  dataset
    .command('load')
    .description('publish the lines of a file as facts and wait until they are applied')
    .argument('<file>', 'NDJSON file, or - for standard input')
    .addOption(accountOption())
    .option('--nats <url>', 'URL of NATS (default: NATS_URL, else .local/stack.json)')
    .option('--stall-timeout <seconds>', 'fail after this many seconds without progress', parsePositive, 180)
    .addHelpText('after', EXAMPLE)
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
