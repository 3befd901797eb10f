import type { Admin, Invitation, Mail } from '@survey/proto/admin/v1/admin.ts';
import { html, none, type Html } from '../views/html.ts';
import { at, head, orUnavailable, panel, section, table, tag, type Mark } from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { optional } from '../views/form-results.ts';

const MAIL_MARKS: Readonly<Record<string, Mark>> = { sent: 'on', waiting: 'off', given_up: 'bad' };

export async function getAdmins(visit: AccountVisit): Promise<Reply> {
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
  const body = html`${head(t.title, { lead: t.lead })}${panel(adminTable)} ${invitationSection(visit, invitations)}
  ${section(
    t.mails,
    orUnavailable(visit, mails, (found) => mailTable(found.mails)),
  )}`;
  return { page: { title: t.title, section: 'admins', body } };
}

function invitationSection({ texts, format }: AccountVisit, invitations: readonly Invitation[]): Html {
  const { admins: t } = texts;
  if (invitations.length === 0) return none;
  return section(
    t.invitations,
    panel(
      table<Invitation>(
        t.invitations,
        [
          { title: t.email, cell: ({ email }) => email },
          { title: t.invitationEnds, cell: ({ ends_at }) => format.time(ends_at) },
          { title: t.invitationUsed, isOptional: true, cell: ({ is_used }) => (is_used ? t.signedIn : t.notSignedIn) },
        ],
        invitations,
        none,
      ),
    ),
  );
}
