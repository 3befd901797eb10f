import { Option, type Command } from 'commander';
import type { ApiKey } from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import { accountOption, parseUuid } from '../arguments.ts';
import { connected } from '../connected.ts';
import { print, renderFields, renderTable, renderTime } from '../output.ts';

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description("the API keys of an account's own programs");
  addCreate(key);
  addList(key);
  addRevoke(key);
}

function addCreate(key: Command): void {
  key
    .command('create')
    .description('create a key and show it, this one time')
    .addOption(accountOption())
    .addOption(
      new Option('--scope <scope>', 'read: every GET; employees:write: imports, which set roles and data access')
        .choices(['read', 'employees:write'])
        .makeOptionMandatory(),
    )
    .addHelpText(
      'after',
      '\nExample:\n  $ npx surveyctl key create --account 1 --scope read --json\n  {"key_id":"…","key":"eng_live_r_…"}',
    )
    .action(
      connected<[{ account: number; scope: string }]>(async (admin, command, { account, scope }) => {
        const { key_id, key } = await admin.call('createKey', { account_id: account, scope });
        print(
          command,
          { key_id, key },
          () => `${renderFields({ key_id, key })}\n\nKeep it now: only its hash is stored, and nobody can show it again.`,
        );
      }),
    );
}

function addList(key: Command): void {
  key
    .command('list')
    .description('list the keys of an account, revoked ones included')
    .addOption(accountOption())
    .addHelpText('after', '\nExample:\n  $ npx surveyctl key list --account 1')
    .action(
      connected<[{ account: number }]>(async (admin, command, { account }) => {
        const { keys } = await admin.call('listKeys', { account_id: account });
        print(command, { keys }, () => renderTable(['KEY', 'BEGINS WITH', 'SCOPE', 'CREATED', 'REVOKED'], keys.map(rowOf)));
      }),
    );
}

function addRevoke(key: Command): void {
  key
    .command('revoke')
    .description('revoke a key for good; gateways refuse it within a second, within ten when the bus is away')
    .addOption(accountOption())
    .addOption(new Option('--key-id <uuid>', 'the key, see `key list`').argParser(parseUuid).makeOptionMandatory())
    .addHelpText('after', '\nRevoking twice is no error.\n\nExample:\n  $ npx surveyctl key revoke --account 1 --key-id 5f0c…')
    .action(
      connected<[{ account: number; keyId: string }]>(async (admin, command, { account, keyId }) => {
        const key = await admin.call('revokeKey', { account_id: account, key_id: keyId });
        print(command, key, () => renderFields({ key_id: key.key_id, revoked: renderTime(key.revoked_at) }));
      }),
    );
}

function rowOf({ key_id, prefix, scope, created_at, revoked_at }: ApiKey): string[] {
  return [key_id, `${prefix}…`, scope, renderTime(created_at), renderTime(revoked_at)];
}
