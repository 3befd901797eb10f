import { type Command, Option } from 'commander';
import { accountOption, parseGuard } from '../arguments.ts';
import { CommandError, EXIT } from '../command-error.ts';
import type { AccountAdmin } from '../connection.ts';
import { IMPORT_HEAD, renderImportRow } from '../import-rendering.ts';
import { print, renderFields, renderTable, renderTime } from '../output.ts';
import { settingsJson } from '../settings-rendering.ts';
import { withConnection } from '../with-connection.ts';
import { addAccountDelete } from './account-delete.ts';

export function addAccountCommands(program: Command): void {
  const account = program.command('account').description('manage accounts');
  addCreate(account);
  addList(account);
  addAccountShow(account);
  addIssuers(account);
  addInvite(account);
  addAccountDelete(account);
  addAccountAdmins(account);
}

function addCreate(account: Command): void {
  account
    .command('create')
    .description('create an account')
    .requiredOption('--name <name>', 'name of the account, 1 to 255 characters, not necessarily unique')
    .addOption(
      new Option(
        '--disclosure-guard <strict|off>',
        'release results from blocks of closed cycles only; required unless the installation has a default',
      ).argParser(parseGuard),
    )
    .option('--with-keys', 'also create a key of each scope, and print example calls')
    .option('--connect', 'also connect the integration, so that imports are accepted')
    .option('--url <url>', 'base URL of the public API in the example calls', 'https://survey.example.com')
    .addHelpText(
      'after',
      '\nExample:\n  $ npx surveyctl account create --name "ACME GmbH" --disclosure-guard strict --json\n  {"account_id":1}',
    )
    .action(
      withConnection<[CreateOptions]>(
        async (admin, command, { name, disclosureGuard, withKeys = false, connect = false, url }) => {
          const { account_id, name: stored } = await admin.createAccount({ name, disclosure_guard: disclosureGuard });
          if (connect) await admin.connectIntegration({ account_id });
          const keys = withKeys ? await createKeys(admin, account_id) : undefined;
          print(command, { account_id, ...keys }, () =>
            [
              renderFields({ account_id: String(account_id), name: stored, ...keys }),
              ...(keys ? [exampleCalls(url, keys)] : []),
            ].join('\n\n'),
          );
        },
      ),
    );
}

interface CreateOptions {
  name: string;
  disclosureGuard?: string;
  withKeys?: boolean;
  connect?: boolean;
  url: string;
}

interface Keys {
  read_key: string;
  write_key: string;
}

async function createKeys(admin: AccountAdmin, account_id: number): Promise<Keys> {
  const read = await admin.createKey({ account_id, scope: 'read' });
  const write = await admin.createKey({ account_id, scope: 'employees:write' });
  return { read_key: read.key, write_key: write.key };
}

function exampleCalls(url: string, { read_key, write_key }: Keys): string {
  return `The keys are shown only now: only their hashes are stored.

  curl -H 'X-Api-Key: ${read_key}' '${url}/v1/employees?limit=10'
  curl -H 'X-Api-Key: ${write_key}' -H 'Content-Type: application/json' --data @snapshot.json ${url}/v1/employees/imports`;
}

function addList(account: Command): void {
  account
    .command('list')
    .description('list all accounts, oldest first, with the time since which they are being deleted')
    .addHelpText(
      'after',
      '\nExample:\n  $ npx surveyctl account list --json\n  {"accounts":[{"account_id":1,"name":"ACME GmbH","created_at":"…"}]}',
    )
    .action(
      withConnection(async (admin, command) => {
        const { accounts } = await admin.listAccounts({});
        print(command, { accounts }, () =>
          renderTable(
            ['ACCOUNT', 'NAME', 'CREATED', 'CLOSED'],
            accounts.map(({ account_id, name, created_at, closed_at }) => [
              String(account_id),
              name,
              renderTime(created_at),
              renderTime(closed_at),
            ]),
          ),
        );
      }),
    );
}

function addIssuers(account: Command): void {
  account
    .command('issuers')
    .description('show or replace the OpenID Connect issuers whose users can administer an account in the web console')
    .addOption(accountOption())
    .addOption(new Option('--issuer <url...>', 'issuers that replace the current ones, as in their discovery documents'))
    .addOption(new Option('--none', 'remove all issuers').conflicts('issuer'))
    .addHelpText(
      'after',
      '\nUsers of a removed issuer lose access with their next request.\n\nExample:\n  $ npx surveyctl account issuers --account 1 --issuer https://login.example.com/tenant/v2.0 --reason "order 2041"',
    )
    .action(
      withConnection<[{ account: number; issuer?: string[]; none?: boolean }]>(async (admin, command, options) => {
        const { account: account_id, issuer, none } = options;
        const newIssuers = none === true ? [] : issuer;
        const { issuers } =
          newIssuers === undefined
            ? await admin.showIssuers({ account_id })
            : await admin.setIssuers({ account_id, issuers: newIssuers });
        print(command, { issuers }, () =>
          renderTable(
            ['ISSUER'],
            issuers.map((each) => [each]),
          ),
        );
      }),
    );
}

const INVITE_HELP = `
A new account has no employees, so its first admin is invited: bind the provider of the customer with account issuers, invite the
address, and tell its owner the address of the console. No e-mail is sent. An import that contains them as an Admin replaces the
invitation. account admins lists open invitations.

Examples:
  $ npx surveyctl account issuers --account 1 --issuer https://login.example.com/tenant/v2.0
  $ npx surveyctl account invite --account 1 --email admin@example.com --reason "order 2041"`;

function addInvite(account: Command): void {
  account
    .command('invite')
    .description('let the owner of an e-mail address administer an account in the web console for 14 days')
    .addOption(accountOption())
    .requiredOption('--email <address>', 'address that their sign-in provider has verified')
    .option('--withdraw', 'end the invitation instead')
    .addHelpText('after', INVITE_HELP)
    .action(
      withConnection<[{ account: number; email: string; withdraw?: boolean }]>(async (admin, command, options) => {
        const { account: account_id, email, withdraw = false } = options;
        const invitation = await (withdraw ? admin.withdrawInvitation : admin.inviteAdmin)({ account_id, email });
        print(command, invitation, () =>
          renderFields({ email: invitation.email, ends: withdraw ? 'now' : renderTime(invitation.ends_at) }),
        );
      }),
    );
}

const ADMINS_HELP = `
Admins come from the imports of the account. An invited user is an admin until an import contains them. Summaries are mailed to the
admins when an import skipped records.

Example:
  $ npx surveyctl account admins --account 1`;

/** Adds `account admins`: who may use the web console, and what was mailed to them. */
function addAccountAdmins(account: Command): void {
  account
    .command('admins')
    .description('list the admins of an account, the open invitations, and the last summaries of imports mailed to the admins')
    .addOption(accountOption())
    .addHelpText('after', ADMINS_HELP)
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

const LAST_IMPORTS = 5;

const SHOW_HELP = `
Requires --reason: the audit log of the account records who looked at it and why, before anything is shown. The parts have commands
of their own: integration show, import list, key list, account issuers, account admins, settings show, text status, audit list.

Examples:
  $ npx surveyctl account show --account 1 --reason "ticket 4711: imports fail"
  $ npx surveyctl account show --account 1 --reason "ticket 4711" --json`;

/** Adds `account show`, with which an operator looks into an account. */
function addAccountShow(account: Command): void {
  account
    .command('show')
    .description('look into an account: its integration, last imports, keys, admins, issuers and settings')
    .addOption(accountOption())
    .addHelpText('after', SHOW_HELP)
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
