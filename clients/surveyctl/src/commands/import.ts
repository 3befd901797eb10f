import type { ListOffboardedResponse } from '@survey/proto/admin/v1/admin.ts';
import type { ImportProgress } from '@survey/proto/common/v1/import_outcome.ts';
import type { Command } from 'commander';
import { accountOption, parsePositive, parseUuid } from '../arguments.ts';
import { CommandError, describeError, EXIT } from '../command-error.ts';
import { jsonOutput, textOutput } from '../dry-run/dry-run-output.ts';
import {
  readImport,
  readSummary,
  IMPORT_HEAD,
  outcomeJson,
  renderImportRow,
  renderOutcome,
  renderSummary,
  summaryJson,
} from '../import-rendering.ts';
import { openSource } from '../load/source.ts';
import { print, renderTable } from '../output.ts';
import { openProgress, type Step } from '../progress.ts';
import { withConnection } from '../with-connection.ts';

export function addImportCommands(program: Command): void {
  const imports = program.command('import').description('show and manage imports of employees');
  addList(imports);
  addShow(imports);
  addImportWatch(imports);
  addImportAllowDeletes(imports);
  addImportDryRun(imports);
  addImportOffboarded(imports);
}

function addList(imports: Command): void {
  imports
    .command('list')
    .description('list the imports of an account, newest first')
    .addOption(accountOption())
    .option('--limit <n>', 'maximum number of imports, up to 1000', parsePositive, 20)
    .addHelpText('after', '\nExample:\n  $ npx surveyctl import list --account 1 --limit 5')
    .action(
      withConnection<[{ account: number; limit: number }]>(async (admin, command, { account, limit }) => {
        const { imports } = await admin.listImports({ account_id: account, limit });
        print(command, { imports }, () => renderTable(IMPORT_HEAD, imports.map(renderImportRow)));
      }),
    );
}

function addShow(imports: Command): void {
  imports
    .command('show')
    .description('show the outcome of an import; with --json also the result of every record except unchanged ones')
    .argument('<uuid>', 'import_uuid of the import', parseUuid)
    .addOption(accountOption())
    .addHelpText('after', '\nExample:\n  $ npx surveyctl import show 0c53e4a0-8d4f-4b8e-9a53-0f7f2a9d7c11 --account 1 --json')
    .action(
      withConnection<[string, { account: number }]>(async (admin, command, uuid, { account }) => {
        const outcome = await readImport(admin, account, uuid);
        print(command, outcomeJson(outcome), () => renderOutcome(outcome));
      }),
    );
}

const DRY_RUN_HELP = `
Overrides the deletion threshold for one import that would offboard more employees than it allows, because these employees have
left. The threshold applies again from the next import on. The audit log records the operator.

A cancelled import runs again as a new import, whose id is printed. A queued import is marked and keeps its id. The override is
rejected while an import is running, after a later import was accepted (an old snapshot must not overwrite a newer one), when the
threshold was not the only reason, when the import was overridden before, and when its snapshot has been deleted.

Exit codes: 0 overridden, 1 rejected. To follow the import, use: import watch

Example:
  $ npx surveyctl import allow-deletes 0c53e4a0-8d4f-4b8e-9a53-0f7f2a9d7c11 --account 1`;

function addImportAllowDeletes(imports: Command): void {
  imports
    .command('allow-deletes')
    .description('override the deletion threshold for one import')
    .argument('<uuid>', 'import_uuid of the cancelled import', parseUuid)
    .addOption(accountOption())
    .addHelpText('after', DRY_RUN_HELP)
    .action(
      withConnection<[string, { account: number }]>(async (admin, command, uuid, { account }) => {
        const { import_uuid } = await admin.allowDeletes({ account_id: account, import_uuid: uuid });
        const isNew = import_uuid !== uuid;
        const result = { import_uuid, rerun_of: isNew ? uuid : null };
        print(command, result, () => renderReleased(import_uuid, isNew, account));
      }),
    );
}

function renderReleased(importUuid: string, isNew: boolean, account: number): string {
  const effect = isNew ? 'the snapshot runs again as a new import' : 'the threshold is overridden for the queued import';
  return `${importUuid}\n\n${effect}; follow it with: npx surveyctl import watch ${importUuid} --account ${account}`;
}

/** Adds `import offboarded`, the employees that an import offboarded or would have offboarded. */
function addImportOffboarded(imports: Command): void {
  imports
    .command('offboarded')
    .description('list the employees that an import offboarded or would have offboarded, and their common attribute values')
    .argument('<uuid>', 'import_uuid of the import (see import list)', parseUuid)
    .addOption(accountOption())
    .option('--limit <n>', 'maximum number of employees, up to 10000', parsePositive, 50)
    .addHelpText('after', '\nExample:\n  $ npx surveyctl import offboarded 0c53e4a0-8d4f-4b8e-9a53-0f7f2a9d7c11 --account 1')
    .action(
      withConnection<[string, { account: number; limit: number }]>(async (admin, command, import_uuid, { account, limit }) => {
        const offboarded = await admin.listOffboarded({ account_id: account, import_uuid, limit });
        print(command, offboarded, () => renderOffboarded(offboarded));
      }),
    );
}

function renderOffboarded({ employees, total, shared }: ListOffboardedResponse): string {
  const rows = employees.map(({ employee_id, import_id, name }) => [String(employee_id), import_id ?? '', name]);
  const values = shared.map(({ attribute, value, offboarded, having }) => [attribute, value, String(offboarded), String(having)]);
  return [
    renderTable(['EMPLOYEE', 'IMPORT_ID', 'NAME'], rows),
    `${employees.length} of ${total} employees`,
    renderTable(['ATTRIBUTE', 'VALUE', 'OFFBOARDED', 'HAVING'], values),
  ].join('\n\n');
}

const WATCH_HELP = `
The file is a body of POST /v1/employees/imports, plain or gzip. It is validated and applied like an import, in a transaction that
is rolled back: no data changes, and no event or mail is sent. The outcome has the format of import show.

A dry run is rejected while an import of the account is running, and cancelled when one is accepted. It takes as long as the import.
One dry run per account and two in total run at a time; further ones are queued.

Exit codes: 0 the import would be applied, 3 it would be cancelled, 1 it would be rejected or the dry run failed (with --json,
"state" is "rejected" or "failed").

Examples:
  $ npx surveyctl import dry-run snapshot.json.gz --account 1
  $ curl -s https://hr.example.com/snapshot | npx surveyctl import dry-run - --account 1 --json`;

function addImportDryRun(imports: Command): void {
  imports
    .command('dry-run')
    .description('report what an import of a snapshot would do, without changing anything')
    .argument('<file>', 'snapshot, plain or gzip, or - for standard input')
    .addOption(accountOption())
    .addHelpText('after', WATCH_HELP)
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

const EXAMPLE = `
Exit codes: 0 applied, 3 cancelled, 4 failed.

Example:
  $ npx surveyctl import watch 0c53e4a0-8d4f-4b8e-9a53-0f7f2a9d7c11 --account 1 && echo applied`;

function addImportWatch(imports: Command): void {
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
