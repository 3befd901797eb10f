import type { Settings } from '@survey/proto/admin/v1/admin.ts';
import { describe, expect, it } from 'vitest';
import { renderSettings, settingsJson } from './settings-rendering.ts';

const settings: Settings = {
  version: 3,
  text_filter_attribute: { attribute_id: 7, name: 'Country' },
  masking_entitled: false,
  masking: true,
  masking_effect: 'without_effect',
  masking_categories: ['name', 'email'],
  masking_allowed_names: [],
  masking_denied_words: [],
  categorisation: false,
  erased_answers: 'anonymise',
  disclosure_guard: 'off',
  guard_settling_hours: 24,
  notices_off: [],
};

describe('settings', () => {
  it('have all their keys as JSON', () => {
    expect(settingsJson(settings)).toEqual({
      version: 3,
      text_filter_attribute: { attribute_id: 7, name: 'Country' },
      masking_entitled: false,
      masking: true,
      masking_effect: 'without_effect',
      masking_categories: ['name', 'email'],
      masking_allowed_names: [],
      masking_denied_words: [],
      categorisation: false,
      erased_answers: 'anonymise',
      disclosure_guard: 'off',
      guard_settling_hours: 24,
      notices_off: [],
      import_schedule: null,
      rate_limit: null,
      retain_outcomes_days: null,
      retain_offboarded_days: null,
      retain_answers_days: null,
      retain_audit_days: null,
      changed_at: null,
    });
  });

  it('report that masking without the entitlement has no effect [TEXTS-MASKING-3]', () => {
    expect(renderSettings(settings)).toContain('without effect');
    expect(renderSettings({ ...settings, masking_effect: 'on' })).not.toContain('without effect');
  });

  it('report that texts are withheld [TEXTS-MASKING-4]', () => {
    expect(renderSettings({ ...settings, masking_effect: 'withheld' })).toContain('No text is released');
  });

  it('report that the options of the text filter cannot be read', () => {
    expect(renderSettings(settings)).toContain('Country is not released');
    expect(renderSettings({ ...settings, text_filter_attribute: null })).not.toContain('not released');
  });
});
