import type { NoticeAddress } from '@survey/proto/admin/v1/admin.ts';
import { LANGUAGES } from '../texts/languages.ts';
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
import type { AccountVisit } from '../visit.ts';

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
      at(visit, `/admins/addresses/${id}/remove`),
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
          at(visit, '/admins/addresses'),
          html`${textField('address', { label: texts.admins.email, hint: t.addressHint, value: visit.form.get('address') ?? '', error: errors['address'] })}${selectField('language', { label: t.language, value: visit.form.get('language') ?? language, choices })}${foot(t.ask)}`,
          '',
        );
  return section(t.addresses, panel(list, add), { id: 'addresses', aside: t.addressesAside });
}
