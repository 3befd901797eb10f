import type { AccountAdmin } from '../connection.ts';
import { ACCOUNT, parseGuard } from '../arguments.ts';
import { command, example, flag, group, optional, required, unless, withDefault } from '../command.ts';
import { CommandError, EXIT } from '../command-error.ts';
import { IMPORT_HEAD, renderImportRow } from '../import-rendering.ts';
import { renderFields, renderTable, renderTime } from '../output.ts';
import { settingsJson } from '../settings-rendering.ts';
import { deleteAccount, deletion } from './account-delete.ts';

const create = command('create', {
  about: 'create an account',
  help: '\nExample:\n  $ npx surveyctl account create --name "ACME GmbH" --disclosure-guard strict --json\n  {"account_id":1}',
  inputs: {
    name: required('--name <name>', 'name of the account, 1 to 255 characters, not necessarily unique'),
    disclosure_guard: optional(
      '--disclosure-guard <strict|off>',
      'release results from blocks of closed cycles only; required unless the installation has a default',
      parseGuard,
    ),
    hasKeys: flag('--with-keys', 'also create a key of each scope, and print example calls'),
    isConnected: flag('--connect', 'also connect the integration, so that imports are accepted'),
    url: withDefault('--url <url>', 'base URL of the public API in the example calls', 'https://survey.example.com'),
  },
  run: async (admin, { hasKeys, isConnected, url, ...request }) => {
    const { account_id, name } = await admin.createAccount(request);
    if (isConnected) await admin.connectIntegration({ account_id });
    const keys = hasKeys ? await createKeys(admin, account_id) : undefined;
    const fields = () => renderFields({ account_id: String(account_id), name, ...keys });
    return { json: { account_id, ...keys }, text: () => [fields(), ...(keys ? [exampleCalls(url, keys)] : [])].join('\n\n') };
  },
});

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

const list = command('list', {
  about: 'list all accounts, oldest first, with the time since which they are being deleted',
  help: '\nExample:\n  $ npx surveyctl account list --json\n  {"accounts":[{"account_id":1,"name":"ACME GmbH","created_at":"…"}]}',
  run: async (admin) => {
    const { accounts } = await admin.listAccounts({});
    const rows = accounts.map((one) => [String(one.account_id), one.name, renderTime(one.created_at), renderTime(one.closed_at)]);
    return { json: { accounts }, text: () => renderTable(['ACCOUNT', 'NAME', 'CREATED', 'CLOSED'], rows) };
  },
});

const issuers = command('issuers', {
  about: 'show or replace the OpenID Connect issuers whose users can administer an account in the web console',
  help: example(
    'account issuers --account 1 --issuer https://login.example.com/tenant/v2.0 --reason "order 2041"',
    'Users of a removed issuer lose access with their next request.',
  ),
  inputs: {
    account_id: ACCOUNT,
    newIssuers: optional<string[]>('--issuer <url...>', 'issuers that replace the current ones, as in their discovery documents'),
    isNone: unless(['issuer'], flag('--none', 'remove all issuers')),
  },
  run: async (admin, { account_id, newIssuers, isNone }) => {
    const replacement = isNone ? [] : newIssuers;
    const { issuers } =
      replacement === undefined
        ? await admin.showIssuers({ account_id })
        : await admin.setIssuers({ account_id, issuers: replacement });
    const rows = issuers.map((issuer) => [issuer]);
    return { json: { issuers }, text: () => renderTable(['ISSUER'], rows) };
  },
});

const INVITE_HELP = `
A new account has no employees, so its first admin is invited: bind the provider of the customer with account issuers, invite the
address, and tell its owner the address of the console. No e-mail is sent. An import that contains them as an Admin replaces the
invitation. account admins lists open invitations.

Examples:
  $ npx surveyctl account issuers --account 1 --issuer https://login.example.com/tenant/v2.0
  $ npx surveyctl account invite --account 1 --email admin@example.com --reason "order 2041"`;

const invite = command('invite', {
  about: 'let the owner of an e-mail address administer an account in the web console for 14 days',
  help: INVITE_HELP,
  inputs: {
    account_id: ACCOUNT,
    email: required('--email <address>', 'address that their sign-in provider has verified'),
    isWithdrawn: flag('--withdraw', 'end the invitation instead'),
  },
  run: async (admin, { isWithdrawn, ...request }) => {
    const invitation = await (isWithdrawn ? admin.withdrawInvitation : admin.inviteAdmin)(request);
    const ends = isWithdrawn ? 'now' : renderTime(invitation.ends_at);
    return { json: invitation, text: () => renderFields({ email: invitation.email, ends }) };
  },
});

const ADMINS_HELP = `
Admins come from the imports of the account. An invited user is an admin until an import contains them. Summaries are mailed to the
admins when an import skipped records.

Example:
  $ npx surveyctl account admins --account 1`;

const admins = command('admins', {
  about: 'list the admins of an account, the open invitations, and the last summaries of imports mailed to the admins',
  help: ADMINS_HELP,
  inputs: { account_id: ACCOUNT },
  run: async (admin, account) => {
    const { admins, invitations } = await admin.listAdmins(account);
    const { mails } = await admin.listMails(account);
    const tables = () => [
      renderTable(
        ['EMPLOYEE', 'IMPORT_ID', 'E-MAIL', 'LAST SIGN-IN'],
        admins.map((one) => [String(one.employee_id), one.import_id ?? '', one.email, renderTime(one.last_sign_in_at)]),
      ),
      renderTable(
        ['INVITED', 'UNTIL', 'SIGNED IN'],
        invitations.map(({ email, ends_at, is_used }) => [email, renderTime(ends_at), is_used ? 'yes' : 'no']),
      ),
      renderTable(
        ['MAIL ABOUT IMPORT', 'STATE', 'ATTEMPTS', 'SENT'],
        mails.map(({ import_uuid, state, attempts, sent_at }) => [import_uuid, state, String(attempts), renderTime(sent_at)]),
      ),
    ];
    return { json: { admins, invitations, mails }, text: () => tables().join('\n\n') };
  },
});

const LAST_IMPORTS = 5;

const SHOW_HELP = `
Requires --reason: the audit log of the account records who looked at it and why, before anything is shown. The parts have commands
of their own: integration show, import list, key list, account issuers, account admins, settings show, text status, audit list.

Examples:
  $ npx surveyctl account show --account 1 --reason "ticket 4711: imports fail"
  $ npx surveyctl account show --account 1 --reason "ticket 4711" --json`;

const show = command('show', {
  about: 'look into an account: its integration, last imports, keys, admins, issuers and settings',
  help: SHOW_HELP,
  inputs: { account_id: ACCOUNT },
  run: async (admin, { account_id }, command) => {
    if (command.optsWithGlobals<{ reason?: string }>().reason === undefined)
      throw new CommandError('cannot show the account: --reason is required, for its audit log', EXIT.usage);
    await admin.noteAudit({ account_id, action: 'account.enter', what: '' });
    const [shown, integration, { imports }, { keys }, { issuers }, { admins, invitations }, settings] = await Promise.all([
      admin.showAccount({ account_id }),
      admin.showIntegration({ account_id }),
      admin.listImports({ account_id, limit: LAST_IMPORTS }),
      admin.listKeys({ account_id }),
      admin.showIssuers({ account_id }),
      admin.listAdmins({ account_id }),
      admin.showSettings({ account_id }),
    ]);
    const fields = () =>
      renderFields({
        account: String(account_id),
        name: shown.name,
        created: renderTime(shown.created_at),
        employees: `${shown.managed ?? 0} managed by imports`,
        integration: integration.connected ? `connected since ${renderTime(integration.connected_at)}` : 'not connected',
        'deletion threshold': integration.deletion_threshold == null ? '-' : `${integration.deletion_threshold} %`,
        keys: `${keys.filter(({ revoked_at }) => revoked_at == null).length} active`,
        issuers: issuers.join(', ') || 'none',
        admins: `${admins.length}, and ${invitations.length} invited`,
        settings: settings.version === 0 ? 'defaults' : `version ${settings.version}, ${renderTime(settings.changed_at)}`,
      });
    return {
      json: { ...shown, integration, imports, keys, issuers, admins, invitations, settings: settingsJson(settings) },
      text: () => `${fields()}\n\n${renderTable(IMPORT_HEAD, imports.map(renderImportRow))}`,
    };
  },
});

export const account = group('account', 'manage accounts', [
  create,
  list,
  show,
  issuers,
  invite,
  deleteAccount,
  deletion,
  admins,
]);
