import type { ApiKey } from '@survey/proto/admin/v1/admin.ts';
import { InvalidArgumentError } from 'commander';
import { ACCOUNT, parsePositive, parseUuid } from '../arguments.ts';
import { command, example, group, optional, type Output, required, withDefault } from '../command.ts';
import { renderFields, renderTable, renderTime } from '../output.ts';

const CREATE_EXAMPLES = `
Examples:
  $ npx surveyctl key create --account 1 --scope read --json
  {"key_id":"…","key":"eng_live_r_…"}
  $ npx surveyctl key create --account 1 --scope read:scores --name Dashboard --expires-on 2027-03-31`;

const SCOPES = ['read', 'read:scores', 'read:texts', 'read:employees', 'employees:write'];

function parseDay(text: string): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) throw new InvalidArgumentError('It must be a day, such as 2027-03-31.');
  return text;
}

const create = command('create', {
  about: 'create a key and show it once',
  help: CREATE_EXAMPLES,
  inputs: {
    account_id: ACCOUNT,
    scope: required(
      '--scope <scope>',
      'scope of the key: read for every GET, read:… for a part of them, employees:write for imports, which set roles and data access',
      SCOPES,
    ),
    name: optional('--name <name>', 'name of the key, 1 to 60 characters'),
    expires_on: optional(
      '--expires-on <day>',
      'last day (UTC) on which the key is valid; default: as long as the account allows',
      parseDay,
    ),
  },
  run: async (admin, request) => secretOf(await admin.createKey(request)),
});

const secretOf = ({ key_id, key }: { readonly key_id: string; readonly key: string }): Output => ({
  json: { key_id, key },
  text: () => `${renderFields({ key_id, key })}\n\nStore the key now. Only its hash is saved, so it cannot be shown again.`,
});

const list = command('list', {
  about: 'list the keys of an account, including revoked ones',
  help: example('key list --account 1'),
  inputs: { account_id: ACCOUNT },
  run: async (admin, account) => {
    const { keys } = await admin.listKeys(account);
    const head = ['KEY', 'NAME', 'BEGINS WITH', 'SCOPE', 'CREATED', 'LAST USED', 'ENDS', 'REVOKED'];
    return { json: { keys }, text: () => renderTable(head, keys.map(rowOf)) };
  },
});

const GRACES: Readonly<Record<string, number>> = { '0': 0, '1h': 3_600, '24h': 86_400, '7d': 604_800 };
const secondsOf = (grace: string): number => GRACES[grace] ?? 0;

const rotate = command('rotate', {
  about: 'replace a key by one of the same scope and lifetime; the old one ends immediately or after a grace period',
  help: example('key rotate --account 1 --key-id 5f0c… --grace 7d'),
  inputs: {
    account_id: ACCOUNT,
    key_id: required('--key-id <uuid>', 'id of the key to replace (see key list)', parseUuid),
    grace: withDefault('--grace <period>', 'remaining validity of the old key', '24h', Object.keys(GRACES)),
  },
  run: async (admin, { grace, ...key }) => secretOf(await admin.rotateKey({ ...key, grace_seconds: secondsOf(grace) })),
});

const revoke = command('revoke', {
  about: 'revoke a key permanently, effective within 1 s, or 10 s while NATS is unavailable',
  help: example('key revoke --account 1 --key-id 5f0c…', 'Revoking a key again has no effect.'),
  inputs: {
    account_id: ACCOUNT,
    key_id: required('--key-id <uuid>', 'id of the key (see key list)', parseUuid),
    grace: withDefault('--grace <period>', 'remaining validity of the key', '0', Object.keys(GRACES)),
  },
  run: async (admin, { grace, ...request }) => {
    const key = await admin.revokeKey({ ...request, grace_seconds: secondsOf(grace) });
    const end = key.revoked_at == null ? { ends: renderTime(key.ends_at) } : { revoked: renderTime(key.revoked_at) };
    return { json: key, text: () => renderFields({ key_id: key.key_id, ...end }) };
  },
});

const usage = command('usage', {
  about: 'list the requests of each key by day (UTC), delayed by up to 2 minutes',
  help: example('key usage --account 1 --days 30'),
  inputs: { account_id: ACCOUNT, days: withDefault('--days <n>', 'number of days, up to 400', 14, parsePositive) },
  run: async (admin, request) => {
    const { usage } = await admin.listUsage(request);
    const rows = usage.map(({ day, key_id, succeeded, rejected, throttled, failed, deprecated }) => [
      day,
      key_id,
      ...[succeeded, rejected, throttled, failed, deprecated].map(String),
    ]);
    const head = ['DAY', 'KEY', 'SUCCEEDED', 'REJECTED', 'RATE-LIMITED', 'FAILED', 'DEPRECATED'];
    return { json: { usage }, text: () => renderTable(head, rows) };
  },
});

export const key = group('key', 'manage the API keys of an account', [create, list, rotate, revoke, usage]);

function rowOf({ key_id, name, prefix, scope, created_at, last_used_at, ends_at, revoked_at }: ApiKey): string[] {
  const times = [created_at, last_used_at, ends_at, revoked_at].map(renderTime);
  return [key_id, name ?? '', `${prefix}…`, scope, ...times];
}
