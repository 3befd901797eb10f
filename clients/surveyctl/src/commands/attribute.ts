import { Option, type Command } from 'commander';
import type { Attribute } from '@survey/proto/admin/v1/admin.ts';
import { accountOption, parsePositive } from '../arguments.ts';
import { withConnection } from '../with-connection.ts';
import { print, renderFields, renderTable, renderTime } from '../output.ts';

export function addAttributeCommands(program: Command): void {
  const attribute = program
    .command('attribute')
    .description('manage which attributes of employees are released for API use (initially none), and their values');
  addList(attribute);
  addRelease(attribute);
  addWithdraw(attribute);
  addValues(attribute);
  addChangeValue(attribute);
}

function addList(attribute: Command): void {
  attribute
    .command('list')
    .description('list all attributes of an account, released or not')
    .addOption(accountOption())
    .addHelpText('after', '\nExample:\n  $ npx surveyctl attribute list --account 1')
    .action(
      withConnection<[{ account: number }]>(async (admin, command, { account }) => {
        const { attributes } = await admin.listAttributes({ account_id: account });
        print(command, { attributes: attributes.map(attributeJson) }, () =>
          renderTable(
            ['ATTRIBUTE', 'NAME', 'RELEASED'],
            attributes.map(({ attribute_id, name, released_at }) => [String(attribute_id), name, renderTime(released_at)]),
          ),
        );
      }),
    );
}

const NAME = 'name of the attribute; case and surrounding white space are ignored';

function addRelease(attribute: Command): void {
  attribute
    .command('release')
    .description('release an attribute and its options for API use, effective immediately')
    .addOption(accountOption())
    .requiredOption('--name <name>', NAME)
    .addHelpText(
      'after',
      '\nReleasing an attribute again has no effect.\n\nExample:\n  $ npx surveyctl attribute release --account 1 --name Country',
    )
    .action(
      withConnection<[{ account: number; name: string }]>(async (admin, command, { account, name }) => {
        printAttribute(command, await admin.releaseAttribute({ account_id: account, name }));
      }),
    );
}

function addWithdraw(attribute: Command): void {
  attribute
    .command('withdraw')
    .description('withdraw an attribute from API use, effective immediately')
    .addOption(accountOption())
    .requiredOption('--name <name>', NAME)
    .addHelpText(
      'after',
      '\nWithdrawing an attribute again has no effect.\n\nExample:\n  $ npx surveyctl attribute withdraw --account 1 --name Country',
    )
    .action(
      withConnection<[{ account: number; name: string }]>(async (admin, command, { account, name }) => {
        printAttribute(command, await admin.withdrawAttribute({ account_id: account, name }));
      }),
    );
}

function addValues(attribute: Command): void {
  attribute
    .command('values')
    .description('list the values of an attribute, with the number of employees who have each and who have access to it')
    .addOption(accountOption())
    .requiredOption('--name <name>', NAME)
    .option('--search <text>', 'only values that contain the text', '')
    .addOption(new Option('--limit <number>', 'at most 200').argParser(parsePositive).default(50))
    .addHelpText('after', '\nExample:\n  $ npx surveyctl attribute values --account 1 --name Country --search de')
    .action(
      withConnection<[{ account: number; name: string; search: string; limit: number }]>(
        async (admin, command, { account, name, search, limit }) => {
          const request = { account_id: account, attribute: name, search, limit, offset: 0 };
          const { values, total_count } = await admin.listAttributeValues(request);
          print(command, { total_count, values }, () =>
            renderTable(
              ['OPTION', 'NAME', 'EMPLOYEES', 'WITH ACCESS', 'ALSO SENT AS', 'BECOMING'],
              values.map((value) => [
                String(value.option_id),
                value.name,
                String(value.employees),
                String(value.grantees),
                value.other_names.join(', ') || '-',
                value.new_name ?? '-',
              ]),
            ),
          );
        },
      ),
    );
}

interface ChangeValueOptions {
  account: number;
  name: string;
  value: string;
  to: string;
  merge?: boolean;
  dryRun?: boolean;
  keepOldName: boolean;
}

const CHANGE_VALUE_HELP = `
Employees, grants and the answers given so far follow. If imports send the old name again, they mean the new one, unless
--no-keep-old-name is given: then the next import creates the old value again for the employees whose records have it.
Merging cannot be undone. The change is made in the background, when no import is being applied.

Examples:
  $ npx surveyctl attribute change-value --account 1 --name Department --value SALES --to Sales --merge --dry-run
  $ npx surveyctl attribute change-value --account 1 --name Department --value Eng --to Engineering`;

function addChangeValue(attribute: Command): void {
  attribute
    .command('change-value')
    .description('rename a value of an attribute, or merge it into another one')
    .addOption(accountOption())
    .requiredOption('--name <name>', NAME)
    .requiredOption('--value <value>', 'the value, exactly as it is listed')
    .requiredOption('--to <value>', 'its new name')
    .option('--merge', 'the attribute has a value with the new name: merge the two')
    .option('--no-keep-old-name', 'let imports that send the old name create it again')
    .option('--dry-run', 'only count the employees that this concerns')
    .addHelpText('after', CHANGE_VALUE_HELP)
    .action(
      withConnection<[ChangeValueOptions]>(
        async (admin, command, { account, name, value, to, merge = false, dryRun = false, keepOldName }) => {
          const change = await admin.changeAttributeValue({
            account_id: account,
            attribute: name,
            value,
            new_name: to,
            maps_old_name: keepOldName,
            merges: merge,
            preview: dryRun,
          });
          print(command, change, () =>
            renderFields({
              state: dryRun ? 'dry run' : 'requested',
              change: change.merges ? 'merge' : 'rename',
              employees: String(change.value?.employees ?? 0),
              'with access': String(change.value?.grantees ?? 0),
              ...(change.into != null && {
                'employees of the other value': String(change.into.employees),
                'with access to the other value': String(change.into.grantees),
              }),
            }),
          );
        },
      ),
    );
}

function printAttribute(command: Command, attribute: Attribute): void {
  print(command, attributeJson(attribute), () =>
    renderFields({
      attribute: String(attribute.attribute_id),
      name: attribute.name,
      released: renderTime(attribute.released_at),
    }),
  );
}

function attributeJson({ attribute_id, name, released_at }: Attribute): object {
  return { attribute_id, name, released: typeof released_at === 'string', released_at: released_at ?? null };
}
