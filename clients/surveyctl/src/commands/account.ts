import { Option, type Command } from 'commander';
import { accountOption } from '../arguments.ts';
import { addAccountDelete } from './account-delete.ts';
import { withConnection } from '../with-connection.ts';
import { addAccountAdmins } from './account-admins.ts';
import { addAccountShow } from './account-show.ts';
import type { AccountAdmin } from '../connection.ts';
import { print, renderFields, renderTable, renderTime } from '../output.ts';

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
    .option('--with-keys', 'also create a key of each scope, and print example calls')
    .option('--connect', 'also connect the integration, so that imports are accepted')
    .option('--url <url>', 'base URL of the public API in the example calls', 'https://survey.example.com')
    .addHelpText('after', '\nExample:\n  $ npx surveyctl account create --name "ACME GmbH" --json\n  {"account_id":1}')
    .action(
      withConnection<[CreateOptions]>(async (admin, command, { name, withKeys = false, connect = false, url }) => {
        const { account_id, name: stored } = await admin.createAccount({ name });
        if (connect) await admin.connectIntegration({ account_id });
        const keys = withKeys ? await createKeys(admin, account_id) : undefined;
        print(command, { account_id, ...keys }, () =>
          [
            renderFields({ account_id: String(account_id), name: stored, ...keys }),
            ...(keys ? [exampleCalls(url, keys)] : []),
          ].join('\n\n'),
        );
      }),
    );
}

interface CreateOptions {
  name: string;
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
        const wanted = none === true ? [] : issuer;
        const { issuers } =
          wanted === undefined
            ? await admin.showIssuers({ account_id })
            : await admin.setIssuers({ account_id, issuers: wanted });
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
