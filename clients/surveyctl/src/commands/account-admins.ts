import type { Command } from 'commander';
import { accountOption } from '../arguments.ts';
import { print, renderTable, renderTime } from '../output.ts';
import { withConnection } from '../with-connection.ts';

const HELP = `
Admins come from the imports of the account. An invited user is an admin until an import contains them. Summaries are mailed to the
admins when an import skipped records.

Example:
  $ npx surveyctl account admins --account 1`;

/** Adds `account admins`: who may use the web console, and what was mailed to them. */
export function addAccountAdmins(account: Command): void {
  account
    .command('admins')
    .description('list the admins of an account, the open invitations, and the last summaries of imports mailed to the admins')
    .addOption(accountOption())
    .addHelpText('after', HELP)
    .action(
      withConnection<[{ account: number }]>(async (admin, command, { account: account_id }) => {
        const { admins, invitations } = await admin.listAdmins({ account_id });
        const { mails } = await admin.listMails({ account_id });
        print(command, { admins, invitations, mails }, () =>
          [
            renderTable(
              ['EMPLOYEE', 'IMPORT_ID', 'E-MAIL', 'LAST SIGN-IN'],
              admins.map(({ employee_id, import_id, email, last_sign_in_at }) => [
                String(employee_id),
                import_id ?? '',
                email,
                renderTime(last_sign_in_at),
              ]),
            ),
            renderTable(
              ['INVITED', 'UNTIL', 'SIGNED IN'],
              invitations.map(({ email, ends_at, is_used }) => [email, renderTime(ends_at), is_used ? 'yes' : 'no']),
            ),
            renderTable(
              ['MAIL ABOUT IMPORT', 'STATE', 'ATTEMPTS', 'SENT'],
              mails.map(({ import_uuid, state, attempts, sent_at }) => [
                import_uuid,
                state,
                String(attempts),
                renderTime(sent_at),
              ]),
            ),
          ].join('\n\n'),
        );
      }),
    );
}
