import type { ApiKey } from '@survey/proto/admin/v1/admin.ts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { accountOption, parsePositive, parseUuid } from '../arguments.ts';
import { print, renderFields, renderTable, renderTime } from '../output.ts';
import { withConnection } from '../with-connection.ts';

const GRACES = { '0': 0, '1h': 3_600, '24h': 86_400, '7d': 604_800 };

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('manage the API keys of an account');
  addCreate(key);
  addList(key);
  addRotate(key);
  addRevoke(key);
  addKeyUsage(key);
}

interface CreateOptions {
  account: number;
  scope: string;
  name?: string;
  expiresOn?: string;
}

const CREATE_EXAMPLES = `
Examples:
  $ npx surveyctl key create --account 1 --scope read --json
  {"key_id":"…","key":"eng_live_r_…"}
  $ npx surveyctl key create --account 1 --scope read:scores --name Dashboard --expires-on 2027-03-31`;

function parseDay(text: string): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) throw new InvalidArgumentError('It must be a day, such as 2027-03-31.');
  return text;
}

function addCreate(key: Command): void {
  key
    .command('create')
    .description('create a key and show it once')
    .addOption(accountOption())
    .addOption(
      new Option(
        '--scope <scope>',
        'scope of the key: read for every GET, read:… for a part of them, employees:write for imports, which set roles and data access',
      )
        .choices(['read', 'read:scores', 'read:texts', 'read:employees', 'employees:write'])
        .makeOptionMandatory(),
    )
    .option('--name <name>', 'name of the key, 1 to 60 characters')
    .addOption(
      new Option(
        '--expires-on <day>',
        'last day (UTC) on which the key is valid; default: as long as the account allows',
      ).argParser(parseDay),
    )
    .addHelpText('after', CREATE_EXAMPLES)
    .action(
      withConnection<[CreateOptions]>(async (admin, command, { account, scope, name, expiresOn }) => {
        const { key_id, key } = await admin.createKey({ account_id: account, scope, name, expires_on: expiresOn });
        print(
          command,
          { key_id, key },
          () => `${renderFields({ key_id, key })}\n\nStore the key now. Only its hash is saved, so it cannot be shown again.`,
        );
      }),
    );
}

function addList(key: Command): void {
  key
    .command('list')
    .description('list the keys of an account, including revoked ones')
    .addOption(accountOption())
    .addHelpText('after', '\nExample:\n  $ npx surveyctl key list --account 1')
    .action(
      withConnection<[{ account: number }]>(async (admin, command, { account }) => {
        const { keys } = await admin.listKeys({ account_id: account });
        print(command, { keys }, () =>
          renderTable(['KEY', 'NAME', 'BEGINS WITH', 'SCOPE', 'CREATED', 'LAST USED', 'ENDS', 'REVOKED'], keys.map(rowOf)),
        );
      }),
    );
}

function addRotate(key: Command): void {
  key
    .command('rotate')
    .description('replace a key by one of the same scope and lifetime; the old one ends immediately or after a grace period')
    .addOption(accountOption())
    .addOption(
      new Option('--key-id <uuid>', 'id of the key to replace (see key list)').argParser(parseUuid).makeOptionMandatory(),
    )
    .addOption(new Option('--grace <period>', 'remaining validity of the old key').choices(Object.keys(GRACES)).default('24h'))
    .addHelpText('after', '\nExample:\n  $ npx surveyctl key rotate --account 1 --key-id 5f0c… --grace 7d')
    .action(
      withConnection<[{ account: number; keyId: string; grace: keyof typeof GRACES }]>(async (admin, command, options) => {
        const request = { account_id: options.account, key_id: options.keyId, grace_seconds: GRACES[options.grace] };
        const { key_id, key } = await admin.rotateKey(request);
        print(
          command,
          { key_id, key },
          () => `${renderFields({ key_id, key })}\n\nStore the key now. Only its hash is saved, so it cannot be shown again.`,
        );
      }),
    );
}

function addRevoke(key: Command): void {
  key
    .command('revoke')
    .description('revoke a key permanently, effective within 1 s, or 10 s while NATS is unavailable')
    .addOption(accountOption())
    .addOption(new Option('--key-id <uuid>', 'id of the key (see key list)').argParser(parseUuid).makeOptionMandatory())
    .addOption(new Option('--grace <period>', 'remaining validity of the key').choices(Object.keys(GRACES)).default('0'))
    .addHelpText(
      'after',
      '\nRevoking a key again has no effect.\n\nExample:\n  $ npx surveyctl key revoke --account 1 --key-id 5f0c…',
    )
    .action(
      withConnection<[{ account: number; keyId: string; grace: keyof typeof GRACES }]>(async (admin, command, options) => {
        const request = { account_id: options.account, key_id: options.keyId, grace_seconds: GRACES[options.grace] };
        const key = await admin.revokeKey(request);
        const end = key.revoked_at == null ? { ends: renderTime(key.ends_at) } : { revoked: renderTime(key.revoked_at) };
        print(command, key, () => renderFields({ key_id: key.key_id, ...end }));
      }),
    );
}

function rowOf({ key_id, name, prefix, scope, created_at, last_used_at, ends_at, revoked_at }: ApiKey): string[] {
  const times = [created_at, last_used_at, ends_at, revoked_at].map(renderTime);
  return [key_id, name ?? '', `${prefix}…`, scope, ...times];
}

/** Adds `key usage`, the requests of each key by day. */
function addKeyUsage(key: Command): void {
  key
    .command('usage')
    .description('list the requests of each key by day (UTC), delayed by up to 2 minutes')
    .addOption(accountOption())
    .option('--days <n>', 'number of days, up to 400', parsePositive, 14)
    .addHelpText('after', '\nExample:\n  $ npx surveyctl key usage --account 1 --days 30')
    .action(
      withConnection<[{ account: number; days: number }]>(async (admin, command, { account: account_id, days }) => {
        const { usage } = await admin.listUsage({ account_id, days });
        print(command, { usage }, () =>
          renderTable(
            ['DAY', 'KEY', 'SUCCEEDED', 'REJECTED', 'RATE-LIMITED', 'FAILED', 'DEPRECATED'],
            usage.map(({ day, key_id, succeeded, rejected, throttled, failed, deprecated }) => [
              day,
              key_id,
              ...[succeeded, rejected, throttled, failed, deprecated].map(String),
            ]),
          ),
        );
      }),
    );
}
