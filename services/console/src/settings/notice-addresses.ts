import type { NoticeAddress } from '@survey/proto/admin/v1/admin.ts';
import { LANGUAGES } from '../texts/languages.ts';
import { rejection } from '../views/form-results.ts';
import { html, type Html } from '../views/html.ts';
import {
  at,
  foot,
  form,
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
import { getSettings } from './settings-page.ts';

const STATES: Readonly<Record<string, Mark>> = { confirmed: 'on', waiting: 'off', expired: 'warn' };
const MAX_ADDRESSES = 10;

/** Renders to whom else mails about imports are sent. */
export function noticeAddresses(visit: AccountVisit, all: readonly NoticeAddress[], errors: FieldErrors): Html {
  const { texts, format, language } = visit;
  const { mailSettings: t } = texts;
  const states: Readonly<Record<string, string>> = t.states;
  const remove = ({ id, email }: NoticeAddress): Html =>
    form(
      visit,
      at(visit, `/settings/addresses/${id}/remove`),
      html`<button class="link">${t.remove}<span class="sr"> ${email}</span></button>`,
      '',
    );
  const list = table<NoticeAddress>(
    t.addresses,
    [
      { title: texts.admins.email, cell: ({ email }) => html`<bdi>${email}</bdi>` },
      { title: texts.imports.state, cell: ({ state }) => tag(STATES[state] ?? 'off', states[state] ?? state) },
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
          at(visit, '/settings/addresses'),
          html`${textField('address', { label: texts.admins.email, hint: t.addressHint, value: visit.form.get('address') ?? '', error: errors['address'] })}${selectField('language', { label: t.language, value: visit.form.get('language') ?? language, choices })}${foot(t.ask)}`,
          '',
        );
  return section(t.addresses, panel(list, add), { id: 'addresses', aside: t.addressesAside });
}

/** Asks the owner of an address to confirm it. */
export async function postAddress(visit: AccountVisit): Promise<Reply> {
  const { mailSettings: t } = visit.texts;
  const email = (visit.form.get('address') ?? '').trim();
  const { addresses: all } = await visit.admin.showNotices({});
  if (all.some((each) => each.email === email && each.state === 'confirmed'))
    return getSettings(visit, { address: t.isConfirmed });
  try {
    await visit.admin.addNoticeAddress({ email, language: visit.form.get('language') === 'de' ? 'de' : 'en' });
  } catch (error) {
    return getSettings(visit, { address: rejection(visit, error, { invalid: t.notAnAddress, conflict: t.askedTooOften }) });
  }
  return { redirect: at(visit, '/settings?done=asked#addresses') };
}

export async function postRemoveAddress(visit: AccountVisit): Promise<Reply> {
  const id = Number(visit.params['address']);
  const { addresses: all } = await visit.admin.showNotices({});
  // A second click finds the address gone.
  if (all.some((each) => each.id === id)) await visit.admin.removeNoticeAddress({ id });
  return { redirect: at(visit, '/settings?done=removed#addresses') };
}
