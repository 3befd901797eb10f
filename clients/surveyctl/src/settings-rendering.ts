import type { Settings } from '@survey/proto/admin/v1/admin.ts';
import { renderFields, renderTime } from './output.ts';

/** Renders an account's settings for programs. */
export const settingsJson = ({ text_filter_attribute: filter, ...settings }: Settings): object => ({
  ...settings,
  text_filter_attribute: filter === null ? null : { attribute_id: filter.attribute_id, name: filter.name },
});

/** Renders them for people, with notes on surprising combinations. */
export function renderSettings(settings: Settings): string {
  const defaultRetention = settings.default_retention;
  const fields = renderFields({
    version: String(settings.version),
    text_filter_attribute: settings.text_filter_attribute?.name ?? 'none',
    masking_entitled: settings.masking_entitled ? 'yes' : 'no',
    masking: settings.masking ? 'on' : 'off',
    masking_categories: settings.masking_categories.join(', '),
    masking_allowed_names: settings.masking_allowed_names.join(', ') || 'none',
    masking_denied_words: String(settings.masking_denied_words.length),
    categorisation: settings.categorisation ? 'on' : 'off',
    rate_limit: typeof settings.rate_limit === 'number' ? `${settings.rate_limit} requests a minute` : 'default',
    retain_outcomes: renderDays(settings.retain_outcomes_days, defaultRetention?.outcomes_days),
    retain_offboarded: renderDays(settings.retain_offboarded_days, defaultRetention?.offboarded_days),
    retain_answers: renderDays(settings.retain_answers_days, defaultRetention?.answers_days),
    retain_audit: renderDays(settings.retain_audit_days, defaultRetention?.audit_days),
    erased_answers: settings.erased_answers,
    disclosure_guard: `${settings.disclosure_guard}${settings.guard_decided ? '' : ', not decided yet'}`,
    guard_settling_hours: String(settings.guard_settling_hours),
    import_schedule: renderSchedule(settings),
    notices_off: settings.notices_off.join(', ') || 'none',
    max_key_days: typeof settings.max_key_days === 'number' ? `${settings.max_key_days} days` : 'none',
    changed: renderTime(settings.changed_at),
  });
  return [fields, ...remarks(settings).map((remark) => `\n${remark}`)].join('\n');
}

function renderSchedule({ import_schedule, import_schedule_hour: hour }: Settings): string {
  if (import_schedule == null) return 'learned';
  return hour == null ? import_schedule : `${import_schedule} by ${String(hour).padStart(2, '0')}:00 UTC`;
}

// An older account-admin does not say what the installation's default is.
function renderDays(days: number | null | undefined, byDefault: number | undefined): string {
  if (typeof days === 'number') return `${days} days`;
  if (byDefault === undefined) return 'default';
  return byDefault === 0 ? 'for ever (default)' : `${byDefault} days (default)`;
}

function remarks({ disclosure_guard, masking_effect, text_filter_attribute: filter }: Settings): string[] {
  return [
    ...(masking_effect === 'without_effect'
      ? [
          'Masking is on but without effect: the account has no data-masking entitlement (--masking-entitled true). Texts are released verbatim.',
        ]
      : []),
    ...(masking_effect === 'withheld'
      ? [
          'No text is released: the entitlement lapsed while masking was on. Renew it (--masking-entitled true), or release texts verbatim (--masking off).',
        ]
      : []),
    ...(disclosure_guard === 'strict' ? ['Scores and texts come only from blocks of closed cycles (docs/anonymity.md).'] : []),
    ...(filter !== null && typeof filter.released_at !== 'string'
      ? [`${filter.name} is not released: callers cannot read the ids of its options (attribute release).`]
      : []),
  ];
}
