import { Option, type Command } from 'commander';
import { accountOption } from '../arguments.ts';
import { withConnection } from '../with-connection.ts';
import { addAccountAdmins, addAccountAudit } from './account-history.ts';
import { print, renderFields, renderTable, renderTime } from '../output.ts';

export function addAccountCommands(program: Command): void {
  const account = program.command('account').description('manage accounts');
  addCreate(account);
  addList(account);
  addIssuers(account);
  addAccountAdmins(account);
  addAccountAudit(account);
}

function addCreate(account: Command): void {
  account
    .command('create')
    .description('create an account')
    .requiredOption('--name <name>', 'name of the account, 1 to 255 characters, not necessarily unique')
    .addHelpText('after', '\nExample:\n  $ npx surveyctl account create --name "ACME GmbH" --json\n  {"account_id":1}')
    .action(
      withConnection<[{ name: string }]>(async (admin, command, { name }) => {
        const account = await admin.call('createAccount', { name });
        print(command, { account_id: account.account_id }, () =>
          renderFields({ account_id: String(account.account_id), name: account.name }),
        );
      }),
    );
}

function addList(account: Command): void {
  account
    .command('list')
    .description('list all accounts, oldest first')
    .addHelpText(
      'after',
      '\nExample:\n  $ npx surveyctl account list --json\n  {"accounts":[{"account_id":1,"name":"ACME GmbH","created_at":"…"}]}',
    )
    .action(
      withConnection(async (admin, command) => {
        const { accounts } = await admin.call('listAccounts', {});
        print(command, { accounts }, () =>
          renderTable(
            ['ACCOUNT', 'NAME', 'CREATED'],
            accounts.map(({ account_id, name, created_at }) => [String(account_id), name, renderTime(created_at)]),
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
      '\nExample:\n  $ npx surveyctl account issuers --account 1 --issuer https://login.example.com/tenant/v2.0',
    )
    .action(
      withConnection<[{ account: number; issuer?: string[]; none?: boolean }]>(async (admin, command, options) => {
        const { account: account_id, issuer, none } = options;
        const wanted = none === true ? [] : issuer;
        const { issuers } =
          wanted === undefined
            ? await admin.call('showIssuers', { account_id })
            : await admin.call('setIssuers', { account_id, issuers: wanted });
        print(command, { issuers }, () =>
          renderTable(
            ['ISSUER'],
            issuers.map((each) => [each]),
          ),
        );
      }),
    );
}
