import type { Command } from 'commander';
import { connected } from '../connected.ts';
import { print, renderFields, renderTable, renderTime } from '../output.ts';

export function addAccountCommands(program: Command): void {
  const account = program.command('account').description('customers, each with its own employees, keys and results');
  addCreate(account);
  addList(account);
}

function addCreate(account: Command): void {
  account
    .command('create')
    .description('create an account')
    .requiredOption('--name <name>', '1 to 255 characters; need not be unique')
    .addHelpText('after', '\nExample:\n  $ npx surveyctl account create --name "ACME GmbH" --json\n  {"account_id":1}')
    .action(
      connected<[{ name: string }]>(async (admin, command, { name }) => {
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
      connected(async (admin, command) => {
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
