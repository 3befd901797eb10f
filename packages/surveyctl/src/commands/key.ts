import { Option, type Command } from 'commander';
import type { ApiKey } from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import { accountOption, parseUuid } from '../arguments.ts';
import { withConnection } from '../with-connection.ts';
import { print, renderFields, renderTable, renderTime } from '../output.ts';
import { addKeyUsage } from './key-usage.ts';

const GRACES = { '0': 0, '1h': 3_600, '24h': 86_400, '7d': 604_800 };

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description("the API keys of an account's own programs");
  addCreate(key);
  addList(key);
  addRotate(key);
  addRevoke(key);
  addKeyUsage(key);
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
    .option('--name <name>', 'what will use it, 1 to 60 characters')
    .addHelpText(
      'after',
      '\nExample:\n  $ npx surveyctl key create --account 1 --scope read --json\n  {"key_id":"…","key":"eng_live_r_…"}',
    )
    .action(
      withConnection<[{ account: number; scope: string; name?: string }]>(async (admin, command, { account, scope, name }) => {
        const { key_id, key } = await admin.call('createKey', { account_id: account, scope, name });
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
      withConnection<[{ account: number }]>(async (admin, command, { account }) => {
        const { keys } = await admin.call('listKeys', { account_id: account });
        print(command, { keys }, () =>
          renderTable(['KEY', 'NAME', 'BEGINS WITH', 'SCOPE', 'CREATED', 'LAST USED', 'ENDS', 'REVOKED'], keys.map(rowOf)),
        );
      }),
    );
}

function addRotate(key: Command): void {
  key
    .command('rotate')
    .description('create a key in place of another one, which ends at once or after a grace period')
    .addOption(accountOption())
    .addOption(new Option('--key-id <uuid>', 'the key to replace, see `key list`').argParser(parseUuid).makeOptionMandatory())
    .addOption(
      new Option('--grace <period>', 'how long the old key goes on being valid').choices(Object.keys(GRACES)).default('24h'),
    )
    .addHelpText('after', '\nExample:\n  $ npx surveyctl key rotate --account 1 --key-id 5f0c… --grace 7d')
    .action(
      withConnection<[{ account: number; keyId: string; grace: keyof typeof GRACES }]>(async (admin, command, options) => {
        const request = { account_id: options.account, key_id: options.keyId, grace_seconds: GRACES[options.grace] };
        const { key_id, key } = await admin.call('rotateKey', request);
        print(command, { key_id, key }, () => `${renderFields({ key_id, key })}\n\nKeep it now: only its hash is stored.`);
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
      withConnection<[{ account: number; keyId: string }]>(async (admin, command, { account, keyId }) => {
        const key = await admin.call('revokeKey', { account_id: account, key_id: keyId });
        print(command, key, () => renderFields({ key_id: key.key_id, revoked: renderTime(key.revoked_at) }));
      }),
    );
}

function rowOf({ key_id, name, prefix, scope, created_at, last_used_at, ends_at, revoked_at }: ApiKey): string[] {
  const times = [created_at, last_used_at, ends_at, revoked_at].map(renderTime);
  return [key_id, name ?? '', `${prefix}…`, scope, ...times];
}
