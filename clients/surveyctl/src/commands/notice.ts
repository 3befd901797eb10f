import { Option, type Command } from 'commander';
import type { NoticeAddress } from '@survey/proto/admin/v1/admin.ts';
import { accountOption, parsePositive } from '../arguments.ts';
import { print, renderFields, renderTable, renderTime } from '../output.ts';
import { withConnection } from '../with-connection.ts';

export function addNoticeCommands(program: Command): void {
  const notice = program.command('notice').description('manage who gets mails about the imports of an account');
  addShow(notice);
  addAdd(notice);
  addRemove(notice);
}

function addShow(notice: Command): void {
  notice
    .command('show')
    .description('show the further addresses, which kinds of mails are off, and when a snapshot is expected')
    .addOption(accountOption())
    .addHelpText('after', '\nExample:\n  $ npx surveyctl notice show --account 1 --json')
    .action(
      withConnection<[{ account: number }]>(async (admin, command, { account: account_id }) => {
        const [{ addresses, snapshot_due, newest_snapshot_at }, { notices_off, import_schedule }] = await Promise.all([
          admin.showNotices({ account_id }),
          admin.showSettings({ account_id }),
        ]);
        const schedule = import_schedule ?? 'learned';
        print(command, { addresses, notices_off, import_schedule: schedule, snapshot_due, newest_snapshot_at }, () =>
          [
            renderFields({
              notices_off: notices_off.join(', ') || 'none',
              import_schedule: schedule,
              newest_snapshot: renderTime(newest_snapshot_at),
              snapshot_due: renderTime(snapshot_due),
            }),
            renderTable(['ID', 'ADDRESS', 'LANGUAGE', 'STATE', 'ASKED', 'CONFIRMED'], addresses.map(rowOf)),
          ].join('\n\n'),
        );
      }),
    );
}

function addAdd(notice: Command): void {
  notice
    .command('add <email>')
    .description('ask the owner of an address, by mail, whether they want the mails about imports')
    .addOption(accountOption())
    .addOption(new Option('--language <code>', 'language of the mails').choices(['en', 'de']).default('en'))
    .addHelpText(
      'after',
      `
The address gets one mail with a link, which is valid for 48 hours, and no other until its owner confirms. Adding it again sends a new
link. An account can have ten further addresses. Admins of the account get the mails in any case.

Example:
  $ npx surveyctl notice add hr-it@example.com --account 1 --language de`,
    )
    .action(
      withConnection<[string, { account: number; language: string }]>(async (admin, command, email, { account, language }) => {
        const address = await admin.addNoticeAddress({ account_id: account, email, language });
        print(command, address, () => renderTable(['ID', 'ADDRESS', 'LANGUAGE', 'STATE'], [rowOf(address).slice(0, 4)]));
      }),
    );
}

function addRemove(notice: Command): void {
  notice
    .command('remove')
    .argument('<id>', 'id of the address, as notice show lists it', parsePositive)
    .description('remove a further address: it gets no mail from now on')
    .addOption(accountOption())
    .addHelpText('after', '\nExample:\n  $ npx surveyctl notice remove 3 --account 1')
    .action(
      withConnection<[number, { account: number }]>(async (admin, command, id, { account }) => {
        const address = await admin.removeNoticeAddress({ account_id: account, id });
        print(command, { id: address.id, email: address.email }, () => `${address.email} gets no mail from now on.`);
      }),
    );
}

const rowOf = ({ id, email, language, state, asked_at, confirmed_at }: NoticeAddress): string[] => [
  String(id),
  email,
  language,
  state,
  renderTime(asked_at),
  renderTime(confirmed_at),
];
