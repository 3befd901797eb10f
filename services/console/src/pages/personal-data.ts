import type { Settings } from '@survey/proto/admin/v1/admin.ts';
import { html, type Html } from '../views/html.ts';
import { at, choiceField, definitions, foot, form, panel, section, type FieldErrors } from '../views/parts.ts';
import type { AccountVisit } from '../visit.ts';

const RETENTIONS = ['retain_offboarded_days', 'retain_answers_days', 'retain_outcomes_days', 'retain_audit_days'] as const;

/** Renders what happens to answers of erased employees, and how long data is kept. */
export function personalData(visit: AccountVisit, settings: Settings, errors: FieldErrors): Html {
  const { texts, format } = visit;
  const { retention: t } = texts;
  const choice = choiceField('erased_answers', {
    type: 'radio',
    label: t.erasedAnswers,
    hint: t.erasedAnswersHint,
    values: [visit.form.get('erased_answers') ?? settings.erased_answers],
    choices: [
      { value: 'anonymise', text: t.anonymise },
      { value: 'delete', text: t.delete },
    ],
    error: errors['erased_answers'],
  });
  const version = html`<input type="hidden" name="version" value="${settings.version}" />`;
  const kept = definitions(
    RETENTIONS.map((name) => {
      const days = settings[name];
      return [t.names[name], days == null ? t.byDefault : t.days(format.number(days))];
    }),
  );
  return html`${section(t.erasure, form(visit, at(visit, '/settings/erased-answers'), html`${version}${choice}${foot(texts.common.save)}`))}
  ${section(t.title, panel(html`<div class="pad">${kept}</div>`), { aside: t.aside })}`;
}
