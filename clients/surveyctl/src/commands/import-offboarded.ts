import type { ListOffboardedResponse } from '@survey/proto/admin/v1/admin.ts';
import type { Command } from 'commander';
import { accountOption, parsePositive, parseUuid } from '../arguments.ts';
import { print, renderTable } from '../output.ts';
import { withConnection } from '../with-connection.ts';

/** Adds `import offboarded`, the employees that an import offboarded or would have offboarded. */
export function addImportOffboarded(imports: Command): void {
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
