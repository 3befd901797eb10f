import type { Notices } from '@survey/proto/admin/v1/admin.ts';
import { html, type Html } from '../views/html.ts';
import { choiceField, selectField, type FieldErrors } from '../views/parts.ts';
import type { AccountVisit } from '../visit.ts';
import { KINDS, SCHEDULES, type SettingsValues } from './settings-values.ts';

/** Renders which mails about imports are sent, and when a snapshot is expected. */
export function mailFields(
  { texts: { mailSettings: t }, format }: AccountVisit,
  values: SettingsValues,
  { notices, errors }: { notices: Notices | undefined; errors: FieldErrors },
): Html {
  const hours = Array.from({ length: 24 }, (_, hour) => String(hour));
  const time = (at: string): Html => html`<time datetime="${at}" title="${format.utc(at)}">${format.time(at)}</time>`;
  const due = notices?.snapshot_due;
  const newest = notices?.newest_snapshot_at;
  const state = html`${newest == null ? t.noSnapshot : html`${t.newest} ${time(newest)}.`}
  ${due == null ? t.nothingExpected : html`${t.expected} ${time(due)}.`}`;
  return html`${choiceField('kind', {
    type: 'checkbox',
    label: t.kinds,
    hint: t.kindsHint,
    values: values.kind,
    choices: KINDS.map((value) => ({ value, text: t.kindNames[value] })),
    error: errors['kind'],
  })}${selectField('schedule', {
    label: t.schedule,
    hint: html`${t.scheduleHint} ${state}`,
    value: values.schedule[0] ?? '',
    choices: SCHEDULES.map((value) => ({ value, text: t.schedules[value] })),
    error: errors['schedule'],
  })}${selectField('hour', {
    label: t.hour,
    hint: t.hourHint,
    value: values.hour[0] ?? '',
    choices: [{ value: '', text: t.noHour }, ...hours.map((value) => ({ value, text: `${value.padStart(2, '0')}:00 UTC` }))],
    error: errors['hour'],
  })}`;
}
