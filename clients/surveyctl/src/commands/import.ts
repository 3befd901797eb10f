import type { Command } from 'commander';
import { accountOption, parsePositive, parseUuid } from '../arguments.ts';
import { withConnection } from '../with-connection.ts';
import { readImport } from '../import-outcome.ts';
import { outcomeJson, renderImportRow, renderOutcome, IMPORT_HEAD } from '../import-rendering.ts';
import { print, renderTable } from '../output.ts';
import { addImportAllowDeletes } from './import-allow-deletes.ts';
import { addImportDryRun } from './import-dry-run.ts';
import { addImportOffboarded } from './import-offboarded.ts';
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
