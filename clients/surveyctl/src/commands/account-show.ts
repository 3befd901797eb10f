import type { Command } from 'commander';
import { accountOption } from '../arguments.ts';
import { CommandError, EXIT } from '../command-error.ts';
import { IMPORT_HEAD, renderImportRow } from '../import-rendering.ts';
import { print, renderFields, renderTable, renderTime } from '../output.ts';
import { settingsJson } from '../settings-rendering.ts';
import { withConnection } from '../with-connection.ts';

const LAST_IMPORTS = 5;

const HELP = `
Requires --reason: the audit log of the account records who looked at it and why, before anything is shown. The parts have commands
of their own: integration show, import list, key list, account issuers, account admins, settings show, text status, audit list.

Examples:
  $ npx surveyctl account show --account 1 --reason "ticket 4711: imports fail"
  $ npx surveyctl account show --account 1 --reason "ticket 4711" --json`;

/** Adds `account show`, with which an operator looks into an account. */
export function addAccountShow(account: Command): void {
  account
    .command('show')
    .description('look into an account: its integration, last imports, keys, admins, issuers and settings')
    .addOption(accountOption())
    .addHelpText('after', HELP)
    .action(
      withConnection<[{ account: number }]>(async (admin, command, { account: account_id }) => {
        if (command.optsWithGlobals<{ reason?: string }>().reason === undefined)
          throw new CommandError('cannot show the account: --reason is required, for its audit log', EXIT.usage);
        await admin.noteAudit({ account_id, action: 'account.enter', what: '' });
        const [shown, integration, { imports }, { keys }, { issuers }, { admins, invitations }, settings] = await Promise.all([
          admin.showAccount({ account_id }),
          admin.showIntegration({ account_id }),
          admin.listImports({ account_id, limit: LAST_IMPORTS }),
          admin.listKeys({ account_id }),
          admin.showIssuers({ account_id }),
          admin.listAdmins({ account_id }),
          admin.showSettings({ account_id }),
        ]);
        const json = { ...shown, integration, imports, keys, issuers, admins, invitations, settings: settingsJson(settings) };
        print(command, json, () => {
          const fields = renderFields({
            account: String(account_id),
            name: shown.name,
            created: renderTime(shown.created_at),
            employees: `${shown.managed ?? 0} managed by imports`,
            integration: integration.connected ? `connected since ${renderTime(integration.connected_at)}` : 'not connected',
            'deletion threshold': integration.deletion_threshold == null ? '-' : `${integration.deletion_threshold} %`,
            keys: `${keys.filter(({ revoked_at }) => revoked_at == null).length} active`,
            issuers: issuers.join(', ') || 'none',
            admins: `${admins.length}, and ${invitations.length} invited`,
            settings: settings.version === 0 ? 'defaults' : `version ${settings.version}, ${renderTime(settings.changed_at)}`,
          });
          return `${fields}\n\n${renderTable(IMPORT_HEAD, imports.map(renderImportRow))}`;
        });
      }),
    );
}
