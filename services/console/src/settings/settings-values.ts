import { createHash } from 'node:crypto';
import type { Settings } from '@survey/proto/admin/v1/admin.ts';
import { html, type Html } from '../views/html.ts';
import type { AccountVisit } from '../visit.ts';

export const CATEGORIES = ['name', 'email', 'phone', 'address', 'id'] as const;
export const KINDS = ['cancelled', 'identity', 'late', 'key_expiry'] as const;
export const SCHEDULES = ['learned', 'daily', 'weekly'] as const;

/** The fields of the settings form, each with what the form sends for it. */
export type SettingsValues = Readonly<Record<(typeof FIELDS)[number], readonly string[]>>;
const FIELDS = [
  'masking',
  'category',
  'denied',
  'filter',
  'categorisation',
  'kind',
  'schedule',
  'hour',
  'erased_answers',
  'max_days',
] as const;
// A group of which no box is ticked is not sent; the field before it is.
const SENT_WITH: Readonly<Record<string, string>> = { category: 'masking', kind: 'schedule' };

export const onOff = (isOn: boolean): string => (isOn ? 'on' : 'off');

const storedValues = (settings: Settings): SettingsValues => ({
  masking: [onOff(settings.masking)],
  category: settings.masking_categories,
  denied: settings.masking_denied_words,
  filter: [settings.text_filter_attribute?.name ?? ''],
  categorisation: [onOff(settings.categorisation)],
  kind: KINDS.filter((kind) => !settings.notices_off.includes(kind)),
  schedule: [settings.import_schedule ?? 'learned'],
  hour: [String(settings.import_schedule_hour ?? '')],
  erased_answers: [settings.erased_answers],
  max_days: [String(settings.max_key_days ?? '')],
});

const digestOf = (values: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(values.toSorted())).digest('base64url').slice(0, 8);

const digestsOf = (settings: Settings): string => Object.values(storedValues(settings)).map(digestOf).join('.');

/**
 * Renders digests of the values that the form is filled with. They tell what the user has changed,
 * so that only that is saved, even if another admin has changed something else since.
 */
export function shownField({ form, isResumed }: AccountVisit, settings: Settings): Html {
  const shown = (isResumed ? form.get('shown') : null) ?? digestsOf(settings);
  return html`<input type="hidden" name="shown" value="${shown}" />`;
}

/** Returns the values of the form: those that the user has changed, and the stored ones. */
export function formValues({ form }: AccountVisit, settings: Settings): { values: SettingsValues; changed: Set<string> } {
  const values = { ...storedValues(settings) };
  const digests = (form.get('shown') ?? digestsOf(settings)).split('.');
  const changed = new Set<string>();
  for (const [index, field] of FIELDS.entries()) {
    if (!form.has(SENT_WITH[field] ?? field)) continue;
    const typed = form.getAll(field).flatMap((value) => (field === 'denied' ? wordsOf(value) : value));
    if (digestOf(typed) === digests[index]) continue;
    values[field] = typed;
    changed.add(field);
  }
  return { values, changed };
}

const wordsOf = (lines: string): string[] => lines.split('\n').flatMap((line) => line.trim() || []);
