import type { Command } from 'commander';
import { accountOption } from '../arguments.ts';
import { print } from '../output.ts';
import { withConnection } from '../with-connection.ts';

const HELP = `
The list has names of companies, products and teams, which masking otherwise takes for names of people. A name of several words allows
each of its words. A word in the name of an employee is always masked. Options of the account's attributes need no entry for the
masking model. Texts that are masked already stay as they are; to mask them again, use text rebuild --stage mask.

Examples:
  $ npx surveyctl text allow-list add --account 1 Orion "Contoso Drive"
  $ npx surveyctl text allow-list list --account 1`;

type Change = (names: readonly string[], given: readonly string[]) => string[];

export function addTextAllowList(text: Command): void {
  const list = text.command('allow-list').description('manage the names that masking leaves visible');
  list.addHelpText('after', HELP);
  addChange(list, 'add', 'leave names visible', (names, given) => [...names, ...given]);
  addChange(list, 'remove', 'mask names again', (names, given) => names.filter((name) => !given.includes(name)));
  list
    .command('list')
    .description('show the names')
    .addOption(accountOption())
    .action(
      withConnection<[{ account: number }]>(async (admin, command, { account }) => {
        const { masking_allowed_names: names } = await admin.showSettings({ account_id: account });
        printNames(command, names);
      }),
    );
}

function addChange(list: Command, name: string, description: string, change: Change): void {
  list
    .command(name)
    .description(description)
    .argument('<name...>', 'names, such as of products')
    .addOption(accountOption())
    .action(
      withConnection<[string[], { account: number }]>(async (admin, command, given, { account }) => {
        const { masking_allowed_names: before, version } = await admin.showSettings({ account_id: account });
        const { masking_allowed_names: names } = await admin.setSettings({
          account_id: account,
          masking_categories: null,
          masking_allowed_names: { names: change(before, given) },
          expected_version: version,
        });
        printNames(command, names);
      }),
    );
}

function printNames(command: Command, names: string[]): void {
  print(command, { names }, () => names.join('\n'));
}
