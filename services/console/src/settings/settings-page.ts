import type { Attribute, Notices, Settings } from '@survey/proto/admin/v1/admin.ts';
import type { ShowTextStatusResponse, StageStatus } from '@survey/proto/text/v1/topics.ts';
import { formPage, optional } from '../views/form-results.ts';
import { html, type Html, none } from '../views/html.ts';
import {
  at,
  choiceField,
  definitions,
  type FieldErrors,
  foot,
  form,
  linesField,
  note,
  orUnavailable,
  panel,
  section,
  selectField,
  tag,
  textField,
} from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { versionField } from './save-settings.ts';
import { CATEGORIES, formValues, KINDS, SCHEDULES, type SettingsValues, storedValues } from './settings-values.ts';
import { shownField } from '../views/shown-values.ts';

const EFFECTS = { off: 'off', on: 'on', without_effect: 'warn', withheld: 'warn' } as const;
// Confirmation word for weaker masking; the same in every language.
export const CONFIRM = 'unmasked';

export function maskingTag({ texts }: AccountVisit, { masking_effect }: Settings): Html {
  const effect = effectOf(masking_effect);
  return tag(EFFECTS[effect], texts.settings.effects[effect].short);
}

const effectOf = (effect: string): keyof typeof EFFECTS =>
  Object.hasOwn(EFFECTS, effect) ? (effect as keyof typeof EFFECTS) : 'off';

export async function getSettings(visit: AccountVisit, errors: FieldErrors = {}): Promise<Reply> {
  const { texts } = visit;
  const { settings: t } = texts;
  const [settings, { attributes }, status, notices] = await Promise.all([
    visit.admin.showSettings({}),
    visit.admin.listAttributes({}),
    optional(visit.topics.showTextStatus({})),
    optional(visit.admin.showNotices({})),
  ]);
  const effect = t.effects[effectOf(settings.masking_effect)];
  const isWarning = settings.masking_effect === 'withheld' || settings.masking_effect === 'without_effect';
  const { values, changed } = formValues(visit, settings);
  const fields = html`${versionField(visit, settings, changed.size > 0)}${shownField(visit, storedValues(settings))}
  ${section(t.masking, panel(maskingFields(visit, settings, values, errors)), { aside: maskingTag(visit, settings) })}
  ${section(t.textResults, panel(textResultFields(visit, attributes, values, errors)))}
  ${section(texts.mailSettings.title, panel(mailFields(visit, values, { notices, errors })), { id: 'mails' })}
  ${section(texts.retention.title, panel(retention(visit, settings, values, errors)))}
  ${section(texts.keys.title, panel(textField('max_days', { label: texts.keys.limit, hint: texts.keys.maxDaysHint, value: values.max_days[0] ?? '', unit: texts.keys.days, inputmode: 'numeric', error: errors['max_days'] })))}
  ${foot(texts.common.save, { isStuck: changed.size > 0 })}`;
  const unfinishedStages = status && unfinishedStagesOf(status);
  const body = html`${isWarning ? html`<div class="block">${note('warn', effect.title, html`<p>${effect.text}</p>`)}</div>` : none}
  ${form(visit, at(visit, '/settings'), fields, 'save')}
  ${
    unfinishedStages?.length === 0
      ? none
      : section(
          t.progress,
          orUnavailable(visit, unfinishedStages, (stages) => progress(visit, stages)),
        )
  }`;
  return formPage(visit, t.title, { section: 'settings', lead: t.lead, errors }, body);
}

function maskingFields(visit: AccountVisit, settings: Settings, values: SettingsValues, errors: FieldErrors): Html {
  const { texts, form: typed } = visit;
  const { settings: t } = texts;
  return html`${choiceField('masking', {
      type: 'radio',
      label: t.maskingLabel,
      hint: t.maskingHint,
      values: values.masking,
      choices: [
        { value: 'on', text: t.on },
        { value: 'off', text: t.maskingOff },
      ],
      error: errors['masking'],
    })}
    ${choiceField('category', { type: 'checkbox', label: t.categories, hint: t.categoriesHint, values: values.category, choices: CATEGORIES.map((value) => ({ value, text: t.categoryNames[value] })), error: errors['category'] })}
    ${settings.masking && textField('confirm', { label: texts.form.type(CONFIRM), hint: t.confirmHint, value: typed.get('confirm') ?? '', error: errors['confirm'] })}
    <div class="set">
      <div>
        <b>${t.entitlement}</b>
        <p>${t.entitlementHint}</p>
      </div>
      <div>${settings.masking_entitled ? tag('on', t.entitled) : tag('off', t.notEntitled)}</div>
    </div>
    ${linesField('denied', { label: t.deniedLabel, hint: t.deniedHint, value: values.denied.join('\n'), error: errors['denied'] })}
    ${textField('reason', { label: t.deniedReason, hint: t.deniedReasonHint, value: typed.get('reason') ?? '', maxLength: 200, error: errors['reason'] })}`;
}

function textResultFields(
  { texts: { settings: t }, format }: AccountVisit,
  attributes: readonly Attribute[],
  values: SettingsValues,
  errors: FieldErrors,
): Html {
  const filters = attributes.map(({ name, values: count, rare_values }) => ({
    value: name,
    text: t.filterChoice(name, format.number(count ?? 0), format.number(rare_values ?? 0)),
  }));
  return html`${selectField('filter', { label: t.filterLabel, hint: t.filterHint, value: values.filter[0] ?? '', choices: [{ value: '', text: t.noFilter }, ...filters], error: errors['filter'] })}
  ${choiceField('categorisation', {
    type: 'radio',
    label: t.categorisation,
    hint: t.categorisationHint,
    values: values.categorisation,
    choices: [
      { value: 'on', text: t.on },
      { value: 'off', text: t.off },
    ],
    error: errors['categorisation'],
  })}`;
}

const STEP_PERCENT = 10;
const MIN_ANSWERS = 200;
const MIN_OPEN = 10;

/**
 * Returns steps of 10 %. Each is at least ten texts, and fewer than ten open ones count as done,
 * because anything finer would tell when an employee responds. Of fewer than 200 texts, it only
 * tells whether they are done.
 */
export function percentDone(answers: number, { version, not_enqueued, waiting, in_progress }: StageStatus): number {
  const open = not_enqueued + waiting + in_progress;
  if (version == null) return 0;
  if (open < MIN_OPEN) return 100;
  return answers < MIN_ANSWERS || open > answers
    ? 0
    : STEP_PERCENT * Math.floor((100 * (answers - open)) / answers / STEP_PERCENT);
}

export function doneText({ texts: { settings: t }, format }: AccountVisit, percent: number): string {
  if (percent === 0) return t.underWay;
  return percent === 100 ? t.upToDate : t.over(format.percent(percent / 100));
}

interface StageProgress {
  readonly name: string;
  readonly percent: number;
}

const unfinishedStagesOf = ({ answers, stages }: ShowTextStatusResponse): StageProgress[] =>
  stages
    .map((stage) => ({ name: stage.stage, isOn: stage.version != null, percent: percentDone(answers, stage) }))
    .filter(({ isOn, percent }) => isOn && percent < 100);

function progress(visit: AccountVisit, unfinishedStages: readonly StageProgress[]): Html {
  const { settings: t } = visit.texts;
  const names: Readonly<Record<string, string>> = t.stages;
  const rows = unfinishedStages.map(
    ({ name, percent }) =>
      html`<div class="set">
        <div><b>${names[name] ?? name}</b></div>
        <div>
          <svg class="meter" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
            <rect width="${percent}" height="1" /></svg
          ><span class="muted small">${doneText(visit, percent)}</span>
        </div>
      </div>`,
  );
  // Bounded: the stages of text analysis.
  return panel(...rows, html`<div class="tfoot"><span>${t.rounded}</span></div>`);
}

const RETENTIONS = ['offboarded_days', 'answers_days', 'outcomes_days', 'audit_days'] as const;

// What happens to answers of erased employees, and how long data is kept.
function retention(
  { texts: { retention: t }, format }: AccountVisit,
  settings: Settings,
  values: SettingsValues,
  errors: FieldErrors,
): Html {
  const periods = definitions(
    RETENTIONS.map((name) => {
      // An account-admin of the previous release tells no defaults.
      const days = settings[`retain_${name}`] ?? settings.default_retention?.[name];
      return [t.names[name], days == null ? t.byDefault : days === 0 ? t.forEver : t.days(format.number(days))];
    }),
  );
  return html`${choiceField('erased_answers', {
      type: 'radio',
      label: t.erasedAnswers,
      hint: t.erasedAnswersHint,
      values: values.erased_answers,
      choices: [
        { value: 'anonymise', text: t.anonymise },
        { value: 'delete', text: t.delete },
      ],
      error: errors['erased_answers'],
    })}
    <div class="set">
      <div>
        <b>${t.periods}</b>
        <p>${t.aside}</p>
      </div>
      ${periods}
    </div>`;
}

// Renders which mails about imports are sent, and when a snapshot is expected.
function mailFields(
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
