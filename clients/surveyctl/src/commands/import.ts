import type { ListOffboardedResponse } from '@survey/proto/admin/v1/admin.ts';
import type { Command } from 'commander';
import { accountOption, parsePositive, parseUuid } from '../arguments.ts';
import { readImport } from '../import-outcome.ts';
import { IMPORT_HEAD, outcomeJson, renderImportRow, renderOutcome } from '../import-rendering.ts';
import { print, renderTable } from '../output.ts';
import { withConnection } from '../with-connection.ts';
import { addImportDryRun } from './import-dry-run.ts';
import { addImportWatch } from './import-watch.ts';

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

const HELP = `
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
    .addHelpText('after', HELP)
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
  const what = isNew ? 'the snapshot runs again as a new import' : 'the threshold is overridden for the queued import';
  return `${importUuid}\n\n${what}; follow it with: npx surveyctl import watch ${importUuid} --account ${account}`;
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
        const found = await admin.listOffboarded({ account_id: account, import_uuid, limit });
        print(command, found, () => renderOffboarded(found));
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
