import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidArgumentError, Option } from 'commander';
import type { AccountDeletion } from '@survey/proto/admin/v1/admin.ts';
import { ACCOUNT } from '../arguments.ts';
import { command, flag, group, type Input, type Output, required } from '../command.ts';
import type { AccountAdmin } from '../connection.ts';
import { renderFields, renderTable, renderTime } from '../output.ts';
import { openProgress } from '../progress.ts';

const POLL_MS = 500;
const UNIT_SECONDS = { d: 86_400, h: 3_600, m: 60 } as const;

const DELETE_HELP = `
The account is closed first: its keys are revoked, and facts and imports are rejected. Then every
service deletes its data in the background. \`account deletion watch\` follows it and ends with the
certificate.

Example:
  $ npx surveyctl account delete --account 7 --confirm "ACME GmbH" --after 30d
  $ npx surveyctl account deletion cancel --account 7`;

const after: Input<number> = {
  part: new Option('--after <time>', 'close it then; until then the deletion can be cancelled: 30d, 12h, 5m')
    .argParser(parseTime)
    .default(0, 'at once'),
};

/** `account delete` */
export const deleteAccount = command('delete', {
  about: 'delete an account with all of its data, for good',
  help: DELETE_HELP,
  inputs: {
    account_id: ACCOUNT,
    name: required('--confirm <name>', "the account's name"),
    after_seconds: after,
    force: flag('--force', 'even while the integration is connected'),
  },
  run: async (admin, request) => outputOf(await admin.deleteAccount(request)),
});

const show = command('show', {
  about: 'show how far the deletion is or, once it has finished, its certificate',
  inputs: { account_id: ACCOUNT },
  run: async (admin, account) => outputOf(await admin.showAccountDeletion(account)),
});

const watch = command('watch', {
  about: 'follow a deletion until it has finished, then print its certificate',
  inputs: { account_id: ACCOUNT },
  run: async (admin, account) => outputOf(await finished(admin, account)),
});

const cancel = command('cancel', {
  about: 'take back a deletion that is not due yet',
  inputs: { account_id: ACCOUNT },
  run: async (admin, account) => outputOf(await admin.cancelAccountDeletion(account)),
});

const replay = command('replay', {
  about: 'after a restore of the database, repeat all deletions that it does not contain',
  run: async (admin) => {
    const { deletions } = await admin.replayAccountDeletions({});
    const rows = deletions.map(({ account_id, recorded_at, outcome }) => [String(account_id), renderTime(recorded_at), outcome]);
    return { json: { deletions }, text: () => renderTable(['ACCOUNT', 'RECORDED', 'OUTCOME'], rows) };
  },
});

/** `account deletion` */
export const deletion = group('deletion', 'deletions of accounts: progress, certificate, cancellation', [
  show,
  watch,
  cancel,
  replay,
]);

async function finished(admin: AccountAdmin, account: { readonly account_id: number }): Promise<AccountDeletion> {
  using progress = openProgress(process.stderr);
  for (;;) {
    const deletion = await admin.showAccountDeletion(account);
    if (deletion.state === 'finished') return deletion;
    const rows = deletion.deleted.reduce((sum, each) => sum + each.rows, 0);
    const pending = deletion.pending_schemas.join(', ');
    const activity = pending === '' ? deletion.state : `${deletion.state}: ${pending}`;
    progress.show({ activity, done: rows, total: undefined, detail: `${rows} rows deleted` });
    await sleep(POLL_MS);
  }
}

function parseTime(text: string): number {
  const [, amount, unit] = /^([1-9]\d{0,4})([dhm])$/.exec(text) ?? [];
  if (amount === undefined) throw new InvalidArgumentError('It must be a number of days, hours or minutes, such as 30d.');
  return Number(amount) * UNIT_SECONDS[unit as keyof typeof UNIT_SECONDS];
}

const outputOf = (deletion: AccountDeletion): Output => ({ json: deletion, text: () => renderDeletion(deletion) });

function renderDeletion(deletion: AccountDeletion): string {
  const fields = renderFields({
    account: String(deletion.account_id),
    state: deletion.state,
    requested: `${renderTime(deletion.requested_at)} by ${deletion.requested_by}`,
    due: renderTime(deletion.due_at),
    closed: renderTime(deletion.closed_at),
    finished: renderTime(deletion.finished_at),
  });
  const rows = deletion.deleted.map(({ table, rows }) => [table, String(rows)]);
  const remainders = deletion.remainders.map(({ what, until }) => [what, renderTime(until)]);
  const parts = [fields];
  if (rows.length > 0) parts.push(renderTable(['TABLE', 'DELETED ROWS'], rows));
  if (remainders.length > 0) parts.push(renderTable(['REMAINS', 'UNTIL'], remainders));
  return parts.join('\n\n');
}
