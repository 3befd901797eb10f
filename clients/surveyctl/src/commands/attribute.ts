import type { Command } from 'commander';
import type { Attribute } from '@survey/proto/admin/v1/admin.ts';
import { accountOption } from '../arguments.ts';
import { withConnection } from '../with-connection.ts';
import { print, renderFields, renderTable, renderTime } from '../output.ts';

export function addAttributeCommands(program: Command): void {
  const attribute = program
    .command('attribute')
    .description('manage which attributes of employees are released for API use; initially none');
  addList(attribute);
  addRelease(attribute);
  addWithdraw(attribute);
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
