import type { NoticeAddress } from '@survey/proto/admin/v1/admin.ts';
import { ACCOUNT, parsePositive } from '../arguments.ts';
import { argument, command, example, group, withDefault } from '../command.ts';
import { renderFields, renderTable, renderTime } from '../output.ts';

const show = command('show', {
  about: 'show the further addresses, which kinds of mails are off, and when a snapshot is expected',
  help: example('notice show --account 1 --json'),
  inputs: { account_id: ACCOUNT },
  run: async (admin, account) => {
    const [{ addresses, snapshot_due, newest_snapshot_at }, { notices_off, import_schedule }] = await Promise.all([
      admin.showNotices(account),
      admin.showSettings(account),
    ]);
    const schedule = import_schedule ?? 'learned';
    const fields = {
      notices_off: notices_off.join(', ') || 'none',
      import_schedule: schedule,
      newest_snapshot: renderTime(newest_snapshot_at),
      snapshot_due: renderTime(snapshot_due),
    };
    const table = () => renderTable(['ID', 'ADDRESS', 'LANGUAGE', 'STATE', 'ASKED', 'CONFIRMED'], addresses.map(rowOf));
    return {
      json: { addresses, notices_off, import_schedule: schedule, snapshot_due, newest_snapshot_at },
      text: () => `${renderFields(fields)}\n\n${table()}`,
    };
  },
});

const add = command('add', {
  about: 'ask the owner of an address, by mail, whether they want the mails about imports',
  help: `
The address gets one mail with a link, which is valid for 48 hours, and no other until its owner confirms. Adding it again sends a new
link. An account can have ten further addresses. Admins of the account get the mails in any case.

Example:
  $ npx surveyctl notice add hr-it@example.com --account 1 --language de`,
  inputs: {
    email: argument('<email>', ''),
    account_id: ACCOUNT,
    language: withDefault('--language <code>', 'language of the mails', 'en', ['en', 'de']),
  },
  run: async (admin, request) => {
    const address = await admin.addNoticeAddress(request);
    return { json: address, text: () => renderTable(['ID', 'ADDRESS', 'LANGUAGE', 'STATE'], [rowOf(address).slice(0, 4)]) };
  },
});

const remove = command('remove', {
  about: 'remove a further address: it gets no mail from now on',
  help: example('notice remove 3 --account 1'),
  inputs: { id: argument('<id>', 'id of the address, as notice show lists it', parsePositive), account_id: ACCOUNT },
  run: async (admin, request) => {
    const { id, email } = await admin.removeNoticeAddress(request);
    return { json: { id, email }, text: () => `${email} gets no mail from now on.` };
  },
});

export const notice = group('notice', 'manage who gets mails about the imports of an account', [show, add, remove]);

const rowOf = ({ id, email, language, state, asked_at, confirmed_at }: NoticeAddress): string[] => [
  String(id),
  email,
  language,
  state,
  renderTime(asked_at),
  renderTime(confirmed_at),
];
