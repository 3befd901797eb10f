import type { Admin, Invitation, Mail, NoticeAddress } from '@survey/proto/admin/v1/admin.ts';
import { LANGUAGES } from '../texts/languages.ts';
import { html, none, type Html } from '../views/html.ts';
import {
  at,
  foot,
  form,
  orUnavailable,
  panel,
  section,
  selectField,
  table,
  tag,
  textField,
  type FieldErrors,
  type Mark,
} from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { formPage, optional, rejection } from '../views/form-results.ts';

const MAIL_MARKS: Readonly<Record<string, Mark>> = { sent: 'on', waiting: 'off', given_up: 'bad' };
const ADDRESS_MARKS: Readonly<Record<string, Mark>> = { confirmed: 'on', waiting: 'off', expired: 'warn' };
const MAX_ADDRESSES = 10;

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
    orUnavailable(visit, mails, ({ mails: sent }) => mailTable(sent)),
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

// Renders to whom else mails about imports are sent.
function noticeAddresses(visit: AccountVisit, all: readonly NoticeAddress[], errors: FieldErrors): Html {
  const { texts, format, language } = visit;
  const { mailSettings: t } = texts;
  const states: Readonly<Record<string, string>> = t.states;
  const remove = ({ id, email }: NoticeAddress): Html =>
    form(
      visit,
      at(visit, `/admins/addresses/${id}/remove`),
      html`<button class="link">${t.remove}<span class="sr"> ${email}</span></button>`,
      '',
    );
  const list = table<NoticeAddress>(
    t.addresses,
    [
      { title: texts.admins.email, cell: ({ email }) => html`<bdi>${email}</bdi>` },
      { title: texts.imports.state, cell: ({ state }) => tag(ADDRESS_MARKS[state] ?? 'off', states[state] ?? state) },
      { title: t.language, isOptional: true, cell: (each) => format.languageName(each.language) },
      { title: texts.common.actions, isAction: true, cell: remove },
    ],
    all,
    t.none,
  );
  const choices = Object.keys(LANGUAGES).map((value) => ({ value, text: format.languageName(value) }));
  const add =
    all.length >= MAX_ADDRESSES
      ? html`<p class="pad muted">${t.full}</p>`
      : form(
          visit,
          at(visit, '/admins/addresses'),
          html`${textField('address', { label: texts.admins.email, hint: t.addressHint, value: visit.form.get('address') ?? '', error: errors['address'] })}${selectField('language', { label: t.language, value: visit.form.get('language') ?? language, choices })}${foot(t.ask)}`,
          '',
        );
  return section(t.addresses, panel(list, add), { id: 'addresses', aside: t.addressesAside });
}
