import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { AccountDeletion } from '@survey/proto/admin/v1/admin.ts';
import { accountOption } from '../arguments.ts';
import { print, renderFields, renderTable, renderTime } from '../output.ts';
import { openProgress } from '../progress.ts';
import { withConnection } from '../with-connection.ts';

interface DeleteOptions {
  account: number;
  confirm: string;
  after: number;
  force?: boolean;
}

const POLL_MS = 500;
const UNIT_SECONDS = { d: 86_400, h: 3_600, m: 60 } as const;

const DELETE_HELP = `
The account is closed first: its keys are revoked, and facts and imports are rejected. Then every
service deletes its data in the background. \`account deletion watch\` follows it and ends with the
certificate.

Example:
  $ npx surveyctl account delete --account 7 --confirm "ACME GmbH" --after 30d
  $ npx surveyctl account deletion cancel --account 7`;

/** Adds `account delete` and `account deletion show|watch|cancel|replay`. */
export function addAccountDelete(account: Command): void {
  account
    .command('delete')
    .description('delete an account with all of its data, for good')
    .addOption(accountOption())
    .requiredOption('--confirm <name>', "the account's name")
    .addOption(
      new Option('--after <time>', 'close it then; until then the deletion can be cancelled: 30d, 12h, 5m')
        .argParser(parseTime)
        .default(0, 'at once'),
    )
    .option('--force', 'even while the integration is connected')
    .addHelpText('after', DELETE_HELP)
    .action(
      withConnection<[DeleteOptions]>(async (admin, command, { account, confirm, after, force = false }) => {
        const request = { account_id: account, name: confirm, after_seconds: after, force };
        const deletion = await admin.deleteAccount(request);
        print(command, deletion, () => renderDeletion(deletion));
      }),
    );
  addDeletion(account.command('deletion').description('deletions of accounts: progress, certificate, cancellation'));
}

function addDeletion(deletion: Command): void {
  deletion
    .command('show')
    .description('show how far the deletion is or, once it has finished, its certificate')
    .addOption(accountOption())
    .action(
      withConnection<[{ account: number }]>(async (admin, command, { account }) => {
        const shown = await admin.showAccountDeletion({ account_id: account });
        print(command, shown, () => renderDeletion(shown));
      }),
    );
  deletion
    .command('watch')
    .description('follow a deletion until it has finished, then print its certificate')
    .addOption(accountOption())
    .action(
      withConnection<[{ account: number }]>(async (admin, command, { account }) => {
        const read = () => admin.showAccountDeletion({ account_id: account });
        const finished = await watch(read);
        print(command, finished, () => renderDeletion(finished));
      }),
    );
  deletion
    .command('cancel')
    .description('take back a deletion that is not due yet')
    .addOption(accountOption())
    .action(
      withConnection<[{ account: number }]>(async (admin, command, { account }) => {
        const cancelled = await admin.cancelAccountDeletion({ account_id: account });
        print(command, cancelled, () => renderDeletion(cancelled));
      }),
    );
  deletion
    .command('replay')
    .description('after a restore of the database, repeat all deletions that it does not contain')
    .action(
      withConnection(async (admin, command) => {
        const { deletions } = await admin.replayAccountDeletions({});
        print(command, { deletions }, () =>
          renderTable(
            ['ACCOUNT', 'RECORDED', 'OUTCOME'],
            deletions.map(({ account_id, recorded_at, outcome }) => [String(account_id), renderTime(recorded_at), outcome]),
          ),
        );
      }),
    );
}

async function watch(read: () => Promise<AccountDeletion>): Promise<AccountDeletion> {
  using progress = openProgress(process.stderr);
  for (;;) {
    const deletion = await read();
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
