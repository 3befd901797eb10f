import type { Command } from 'commander';
import { accountOption } from '../arguments.ts';
import { withConnection } from '../with-connection.ts';
import { jsonOutput, textOutput } from '../dry-run/dry-run-output.ts';
import { describeError } from '../command-error.ts';
import { openSource } from '../load/source.ts';
import { openProgress } from '../progress.ts';

const HELP = `
The file is the body of POST /v1/employees/imports, plain or gzip. It is checked and applied as that would be, in a transaction that is rolled back: nothing
changes, nobody gets an event or a mail, and the deletion threshold judges it without taking note. The outcome is that of import show.

A dry run is refused while an import of the account runs, and gives way to one that is accepted meanwhile. It takes as long as the import would. One dry run at
a time runs for an account, and two in all; others wait for their turn.

Exit code: 0 it would be applied, 3 it would be cancelled, 1 it would be refused, or the dry run failed: with --json, "state" is "refused" or "failed".

Examples:
  $ npx surveyctl import dry-run snapshot.json.gz --account 1
  $ curl -s https://hr.example.com/snapshot | npx surveyctl import dry-run - --account 1 --json`;

export function addImportDryRun(imports: Command): void {
  imports
    .command('dry-run')
    .description('tell what an import of a snapshot would do, and change nothing')
    .argument('<file>', 'the snapshot, plain or gzip; - for standard input')
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
