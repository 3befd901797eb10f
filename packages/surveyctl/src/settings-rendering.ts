import type { Settings } from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import { renderFields, renderTime } from './output.ts';

/** Renders an account's settings for programs. */
export function settingsJson(all: Settings): object {
  const { text_filter_attribute: filter, rate_limit, retain_outcomes_days, changed_at, ...settings } = all;
  return {
    ...settings,
    text_filter_attribute: filter === null ? null : { attribute_id: filter.attribute_id, name: filter.name },
    rate_limit: rate_limit ?? null,
    retain_outcomes_days: retain_outcomes_days ?? null,
    changed_at: changed_at ?? null,
  };
}

/** Renders them for people, with notes on surprising combinations. */
export function renderSettings(settings: Settings): string {
  const fields = renderFields({
    version: String(settings.version),
    text_filter_attribute: settings.text_filter_attribute?.name ?? 'none',
    masking_entitled: settings.masking_entitled ? 'yes' : 'no',
    masking: settings.masking ? 'on' : 'off',
    masking_categories: settings.masking_categories.join(', '),
    categorisation: settings.categorisation ? 'on' : 'off',
    external_text_models: settings.external_text_models ? 'on' : 'off',
    external_masker: settings.external_masker ? 'on' : 'off',
    rate_limit: typeof settings.rate_limit === 'number' ? `${settings.rate_limit} requests a minute` : 'default',
    retain_outcomes: typeof settings.retain_outcomes_days === 'number' ? `${settings.retain_outcomes_days} days` : 'default',
    erased_answers: settings.erased_answers,
    disclosure_guard: settings.disclosure_guard,
    guard_settling_hours: String(settings.guard_settling_hours),
    changed: renderTime(settings.changed_at),
  });
  return [fields, ...remarks(settings).map((remark) => `\n${remark}`)].join('\n');
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
    ...(disclosure_guard === 'strict'
      ? ['Scores come only from whole, closed cycles, and no text is released (docs/anonymity.md).']
      : []),
    ...(filter !== null && typeof filter.released_at !== 'string'
      ? [`${filter.name} is not released: callers cannot read the ids of its options (attribute release).`]
      : []),
  ];
}
