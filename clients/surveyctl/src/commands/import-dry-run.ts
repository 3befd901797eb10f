import type { Command } from 'commander';
import { accountOption } from '../arguments.ts';
import { withConnection } from '../with-connection.ts';
import { jsonOutput, textOutput } from '../dry-run/dry-run-output.ts';
import { describeError } from '../command-error.ts';
import { openSource } from '../load/source.ts';
import { openProgress } from '../progress.ts';

const HELP = `
The file is a body of POST /v1/employees/imports, plain or gzip. It is validated and applied like an import, in a transaction that
is rolled back: no data changes, and no event or mail is sent. The outcome has the format of import show.

A dry run is rejected while an import of the account is running, and cancelled when one is accepted. It takes as long as the import.
One dry run per account and two in total run at a time; further ones are queued.

Exit codes: 0 the import would be applied, 3 it would be cancelled, 1 it would be rejected or the dry run failed (with --json,
"state" is "rejected" or "failed").

Examples:
  $ npx surveyctl import dry-run snapshot.json.gz --account 1
  $ curl -s https://hr.example.com/snapshot | npx surveyctl import dry-run - --account 1 --json`;

export function addImportDryRun(imports: Command): void {
  imports
    .command('dry-run')
    .description('report what an import of a snapshot would do, without changing anything')
    .argument('<file>', 'snapshot, plain or gzip, or - for standard input')
    .addOption(accountOption())
    .addHelpText('after', HELP)
    .action(async function (this: Command, file: string, { account: accountId }: { account: number }) {
      const { json } = this.optsWithGlobals<{ json?: boolean }>();
      const output = json === true ? jsonOutput() : textOutput();
      const run = withConnection<[]>(async (admin) => {
        // Loaded on demand: gRPC takes a moment.
        const { dryRun } = await import('../dry-run/dry-run.ts');
        const source = await openSource(file);
        using progress = openProgress(process.stderr);
        process.exitCode = await dryRun(admin, { accountId, source, progress, output });
      });
      try {
        await run.call(this);
      } catch (error) {
        output.failed(describeError(error, false).message);
        throw error;
      } finally {
        await output.end();
      }
    });
}
