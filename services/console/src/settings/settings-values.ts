import type { Settings } from '@survey/proto/admin/v1/admin.ts';
import { changedFields } from '../views/shown-values.ts';
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

/** Returns what the form is filled with. */
export const storedValues = (settings: Settings): SettingsValues => ({
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

/** Returns the values of the form: those that the user has changed, and the stored ones. */
export function formValues(visit: AccountVisit, settings: Settings): { values: SettingsValues; changed: ReadonlySet<string> } {
  const { form } = visit;
  const stored = storedValues(settings);
  const sent = Object.fromEntries(
    FIELDS.filter((field) => form.has(SENT_WITH[field] ?? field)).map((field) => [
      field,
      form.getAll(field).flatMap((value) => (field === 'denied' ? wordsOf(value) : value)),
    ]),
  );
  const { changed } = changedFields(visit, stored, sent);
  const typed = Object.fromEntries(Object.entries(sent).filter(([field]) => changed.has(field)));
  return { values: { ...stored, ...typed }, changed };
}

const wordsOf = (lines: string): string[] => lines.split('\n').flatMap((line) => line.trim() || []);
