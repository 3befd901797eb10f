import type { Admin, Invitation, Mail } from '@survey/proto/admin/v1/admin.ts';
import { html, none, type Html } from '../views/html.ts';
import { at, orUnavailable, panel, section, table, tag, type FieldErrors, type Mark } from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { formPage, optional, rejection } from '../views/form-results.ts';
import { noticeAddresses } from './notice-addresses.ts';

const MAIL_MARKS: Readonly<Record<string, Mark>> = { sent: 'on', waiting: 'off', given_up: 'bad' };

export async function getAdmins(visit: AccountVisit, errors: FieldErrors = {}): Promise<Reply> {
  const { texts, format } = visit;
  const { admins: t } = texts;
  const [{ admins, invitations }, { addresses }, mails] = await Promise.all([
    visit.admin.listAdmins({}),
    visit.admin.showNotices({}),
    optional(visit.admin.listMails({})),
  ]);
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
  const body = html`${panel(adminTable)} ${invitationSection(visit, invitations)} ${noticeAddresses(visit, addresses, errors)}
  ${section(
    t.mails,
    orUnavailable(visit, mails, (found) => mailTable(found.mails)),
  )}`;
  return formPage(visit, t.title, { section: 'admins', lead: t.lead, errors }, body);
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

/** Asks the owner of an address to confirm it. */
export async function postAddress(visit: AccountVisit): Promise<Reply> {
  const { mailSettings: t } = visit.texts;
  const email = (visit.form.get('address') ?? '').trim();
  const { addresses: all } = await visit.admin.showNotices({});
  if (all.some((each) => each.email === email && each.state === 'confirmed')) return getAdmins(visit, { address: t.isConfirmed });
  try {
    await visit.admin.addNoticeAddress({ email, language: visit.form.get('language') === 'de' ? 'de' : 'en' });
  } catch (error) {
    return getAdmins(visit, { address: rejection(visit, error, { invalid: t.notAnAddress, conflict: t.askedTooOften }) });
  }
  return { redirect: at(visit, '/admins?done=asked#addresses') };
}

export async function postRemoveAddress(visit: AccountVisit): Promise<Reply> {
  const id = Number(visit.params['address']);
  const { addresses: all } = await visit.admin.showNotices({});
  // A second click finds the address gone.
  if (all.some((each) => each.id === id)) await visit.admin.removeNoticeAddress({ id });
  return { redirect: at(visit, '/admins?done=removed#addresses') };
}
