import type { ListOffboardedResponse } from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import type { Command } from 'commander';
import { accountOption, parsePositive, parseUuid } from '../arguments.ts';
import { print, renderTable } from '../output.ts';
import { withConnection } from '../with-connection.ts';

/** Adds `import leaving`, the employees that an import offboarded or would have offboarded. */
export function addImportLeaving(imports: Command): void {
  imports
    .command('leaving')
    .description('list the employees that an import offboarded or would have offboarded, and their common attribute values')
    .argument('<uuid>', 'import_uuid of the import (see import list)', parseUuid)
    .addOption(accountOption())
    .option('--limit <n>', 'maximum number of employees, up to 10000', parsePositive, 50)
    .addHelpText('after', '\nExample:\n  $ npx surveyctl import leaving 0c53e4a0-8d4f-4b8e-9a53-0f7f2a9d7c11 --account 1')
    .action(
      withConnection<[string, { account: number; limit: number }]>(async (admin, command, import_uuid, { account, limit }) => {
        const found = await admin.listOffboarded({ account_id: account, import_uuid, limit });
        print(command, found, () => renderLeaving(found));
      }),
    );
}

function renderLeaving({ leaving, total, shared }: ListOffboardedResponse): string {
  const employees = leaving.map(({ employee_id, import_id, name }) => [String(employee_id), import_id ?? '', name]);
  const values = shared.map(({ attribute, value, leaving: leave, having }) => [attribute, value, String(leave), String(having)]);
  return [
    renderTable(['EMPLOYEE', 'IMPORT_ID', 'NAME'], employees),
    `${leaving.length} of ${total} employees`,
    renderTable(['ATTRIBUTE', 'VALUE', 'LEAVING', 'HAVING'], values),
  ].join('\n\n');
}
