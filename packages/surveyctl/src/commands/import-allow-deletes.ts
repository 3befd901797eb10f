import type { Command } from 'commander';
import { accountOption, parseUuid } from '../arguments.ts';
import { withConnection } from '../with-connection.ts';
import { print } from '../output.ts';

const HELP = `
For an import that was cancelled because it would offboard more employees than the integration's deletion threshold allows, when they really have
left. Its snapshot is applied without the threshold, once: the next import is judged again. Who asked is written into the audit.

An import that is cancelled starts again as a new one, whose id is printed. One that still waits is marked and keeps its id. It is refused when an import
runs, when one was accepted since (an old snapshot must not overwrite a newer one), when the threshold was not the only reason, when the import
was released before, and when its snapshot is deleted after the retention.

Exit code: 0 released, 1 refused. How it ends is shown by: import watch

Example:
  $ npx surveyctl import allow-deletes 0c53e4a0-8d4f-4b8e-9a53-0f7f2a9d7c11 --account 1`;

export function addImportAllowDeletes(imports: Command): void {
  imports
    .command('allow-deletes')
    .description('release one import from the deletion threshold, once')
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
  const what = isNew ? 'the snapshot starts again as a new import' : 'the import is released before it has started';
  return `${importUuid}\n\n${what}; follow it with: npx surveyctl import watch ${importUuid} --account ${account}`;
}
