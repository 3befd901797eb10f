import type { NoticeAddress, Notices, Settings } from '@survey/proto/admin/v1/admin.ts';
import { html, type Html } from '../views/html.ts';
import {
  at,
  choiceField,
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
import { LANGUAGES } from '../texts/languages.ts';
import type { AccountVisit } from '../visit.ts';
import { versionField } from './save-settings.ts';

export const KINDS = ['cancelled', 'identity', 'late', 'key_expiry'] as const;
export const SCHEDULES = ['learned', 'daily', 'weekly'] as const;
const STATES: Readonly<Record<string, Mark>> = { confirmed: 'on', waiting: 'off', expired: 'warn' };
const MAX_ADDRESSES = 10;

/** Renders which mails about imports are sent, when a snapshot is expected, and to whom else. */
export function mailSections(visit: AccountVisit, settings: Settings, notices: Notices | undefined, errors: FieldErrors): Html {
  const { mailSettings: t } = visit.texts;
  return html`${section(t.title, form(visit, at(visit, '/settings/mails'), mailFields(visit, settings, notices, errors)), { id: 'mails' })}
  ${section(t.addresses, addresses(visit, notices?.addresses ?? [], errors), { id: 'addresses', aside: t.addressesAside })}`;
}

function mailFields(visit: AccountVisit, settings: Settings, notices: Notices | undefined, errors: FieldErrors): Html {
  const { texts, form: typed, format } = visit;
  const { mailSettings: t } = texts;
  const wasTyped = typed.has('schedule');
  const hours = Array.from({ length: 24 }, (_, hour) => String(hour));
  const time = (at_: string): Html => html`<time datetime="${at_}" title="${format.utc(at_)}">${format.time(at_)}</time>`;
  const due = notices?.snapshot_due;
  const newest = notices?.newest_snapshot_at;
  const state = html`${newest == null ? t.noSnapshot : html`${t.newest} ${time(newest)}.`}
  ${due == null ? t.nothingExpected : html`${t.expected} ${time(due)}.`}`;
  return html`${versionField(visit, settings)}${choiceField('kind', {
    type: 'checkbox',
    label: t.kinds,
    hint: t.kindsHint,
    values: wasTyped ? typed.getAll('kind') : KINDS.filter((kind) => !settings.notices_off.includes(kind)),
    choices: KINDS.map((value) => ({ value, text: t.kindNames[value] })),
    error: errors['kind'],
  })}${selectField('schedule', {
    label: t.schedule,
    hint: html`${t.scheduleHint} ${state}`,
    value: typed.get('schedule') ?? settings.import_schedule ?? 'learned',
    choices: SCHEDULES.map((value) => ({ value, text: t.schedules[value] })),
    error: errors['schedule'],
  })}${selectField('hour', {
    label: t.hour,
    hint: t.hourHint,
    value: typed.get('hour') ?? String(settings.import_schedule_hour ?? ''),
    choices: [{ value: '', text: t.noHour }, ...hours.map((value) => ({ value, text: `${value.padStart(2, '0')}:00 UTC` }))],
    error: errors['hour'],
  })}${foot(texts.common.save)}`;
}

function addresses(visit: AccountVisit, all: readonly NoticeAddress[], errors: FieldErrors): Html {
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
  return panel(list, add);
}
