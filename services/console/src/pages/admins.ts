import type { Admin, Mail } from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import { notFoundPage } from '../page-error.ts';
import { html } from '../views/html.ts';
import {
  at,
  errorSummary,
  head,
  orUnavailable,
  panel,
  section,
  table,
  tag,
  type FieldErrors,
  type Mark,
} from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { doneNote, optional, rejection } from './common.ts';
import { invitationSection } from './invitations.ts';

const MAIL_MARKS: Readonly<Record<string, Mark>> = { sent: 'on', waiting: 'off', given_up: 'bad' };

export async function getAdmins(visit: AccountVisit, errors: FieldErrors = {}): Promise<Reply> {
  const { texts, format } = visit;
  const { admins: t } = texts;
  const [{ admins, invitations }, mails] = await Promise.all([visit.admin.listAdmins({}), optional(visit.admin.listMails({}))]);
  const states: Readonly<Record<string, string>> = t.mailStates;
  const adminTable = table<Admin>(
    t.title,
    [
      { title: t.name, cell: ({ firstname, lastname }) => [firstname, lastname].filter(Boolean).join(' ') || '–' },
      { title: t.email, cell: ({ email }) => email },
      {
        title: t.lastSignIn,
        isOptional: true,
        cell: ({ last_sign_in_at }) => (last_sign_in_at == null ? t.never : format.time(last_sign_in_at)),
      },
    ],
    admins,
    t.none,
  );
  const mailTable = (list: readonly Mail[]) =>
    panel(
      table<Mail>(
        t.mails,
        [
          {
            title: t.mailOf,
            cell: ({ import_uuid, created_at }) =>
              html`<a href="${at(visit, `/imports/${import_uuid}`)}">${format.time(created_at)}</a>`,
          },
          { title: texts.imports.state, cell: ({ state }) => tag(MAIL_MARKS[state] ?? 'off', states[state] ?? state) },
          { title: t.attempts, isNumber: true, cell: ({ attempts }) => format.number(attempts) },
          { title: t.sentAt, isOptional: true, cell: ({ sent_at }) => (sent_at == null ? '–' : format.time(sent_at)) },
        ],
        list,
        t.noMails,
      ),
    );
  const body = html`${head(t.title, { lead: t.lead })}${errorSummary(visit, errors)}${doneNote(visit)}${panel(adminTable)}
  ${invitationSection(visit, invitations, errors)}${section(
    t.mails,
    orUnavailable(visit, mails, (found) => mailTable(found.mails)),
  )}`;
  return { page: { title: t.title, section: 'admins', status: Object.keys(errors).length > 0 ? 422 : 200, body } };
}

export async function postInvite(visit: AccountVisit): Promise<Reply> {
  if (!visit.session.isOperator) throw notFoundPage();
  try {
    await visit.admin.inviteAdmin({ email: visit.form.get('email') ?? '' });
  } catch (error) {
    return getAdmins(visit, { email: rejection(visit, error, { invalid: visit.texts.admins.emailError }) });
  }
  return { redirect: at(visit, '/admins?done=invited') };
}

export async function postWithdrawInvitation(visit: AccountVisit): Promise<Reply> {
  if (!visit.session.isOperator) throw notFoundPage();
  await visit.admin.withdrawInvitation({ email: visit.form.get('email') ?? '' });
  return { redirect: at(visit, '/admins?done=saved') };
}
