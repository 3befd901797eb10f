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
  guard_decided: true,
  default_retention: null,
};

describe('settings', () => {
  it('name the text filter by its id and name as JSON', () => {
    expect(settingsJson({ ...settings, text_filter_attribute: { attribute_id: 7, name: 'Country', values: 3 } })).toEqual(
      settings,
    );
  });

  it('say how long data is kept without a setting of the account', () => {
    const default_retention = { outcomes_days: 30, offboarded_days: 0, answers_days: 0, audit_days: 0 };
    const rendered = renderSettings({ ...settings, retain_audit_days: 365, default_retention });
    expect(rendered).toMatch(/retain_outcomes +30 days \(default\)/);
    expect(rendered).toMatch(/retain_answers +for ever \(default\)/);
    expect(rendered).toMatch(/retain_audit +365 days$/m);
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
