import type { Command } from 'commander';
import type { ImportProgress } from '@survey/proto/common/v1/import_outcome.ts';
import { accountOption, parseUuid } from '../arguments.ts';
import { withConnection } from '../with-connection.ts';
import { CommandError, EXIT } from '../command-error.ts';
import { readSummary } from '../import-outcome.ts';
import { renderSummary, summaryJson } from '../import-rendering.ts';
import { print } from '../output.ts';
import { openProgress, type Step } from '../progress.ts';

const EXAMPLE = `
Exit codes: 0 applied, 3 cancelled, 4 failed.

Example:
  $ npx surveyctl import watch 0c53e4a0-8d4f-4b8e-9a53-0f7f2a9d7c11 --account 1 && echo applied`;

export function addImportWatch(imports: Command): void {
  imports
    .command('watch')
    .description('follow an import until it has ended')
    .argument('<uuid>', 'import_uuid of the import', parseUuid)
    .addOption(accountOption())
    .addHelpText('after', EXAMPLE)
    .action(
      withConnection<[string, { account: number }]>(async (admin, command, uuid, { account }) => {
        {
          using progress = openProgress(process.stderr);
          for await (const step of admin.watchImport({ account_id: account, import_uuid: uuid })) progress.show(stepOf(step));
        }
        const summary = await readSummary(admin, account, uuid);
        print(command, summaryJson(summary), () => renderSummary(summary));
        process.exitCode = exitCodeOf(summary.state);
      }),
    );
}

function stepOf({ state, phase, done, total }: ImportProgress): Step {
  return { activity: phase === '' ? state : phase, done, total, detail: `${done}/${total}` };
}

function exitCodeOf(state: string): number {
  if (state === 'applied') return EXIT.done;
  if (state === 'cancelled') return EXIT.importCancelled;
  if (state === 'failed') return EXIT.importFailed;
  throw new CommandError(`cannot follow the import to its end: it is ${state}`);
}
