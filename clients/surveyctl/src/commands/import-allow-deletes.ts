import type { Command } from 'commander';
import { accountOption, parseUuid } from '../arguments.ts';
import { withConnection } from '../with-connection.ts';
import { print } from '../output.ts';

const HELP = `
Overrides the deletion threshold for one import that would offboard more employees than it allows, because these employees have
left. The threshold applies again from the next import on. The audit log records the operator.

A cancelled import runs again as a new import, whose id is printed. A queued import is marked and keeps its id. The override is
rejected while an import is running, after a later import was accepted (an old snapshot must not overwrite a newer one), when the
threshold was not the only reason, when the import was overridden before, and when its snapshot has been deleted.

Exit codes: 0 overridden, 1 rejected. To follow the import, use: import watch

Example:
  $ npx surveyctl import allow-deletes 0c53e4a0-8d4f-4b8e-9a53-0f7f2a9d7c11 --account 1`;

export function addImportAllowDeletes(imports: Command): void {
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
