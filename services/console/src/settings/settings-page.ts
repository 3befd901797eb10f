import type { SetSettingsRequest, Settings } from '@survey/proto/admin/v1/admin.ts';
import type { StageStatus } from '@survey/proto/text/v1/topics.ts';
import { formPage, isReason, optional } from '../views/form-results.ts';
import { mailSections } from './mail-settings.ts';
import { isTyped, stepUpNeeded } from '../session/step-up.ts';
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
import { saveSettings, versionField } from './save-settings.ts';

const CATEGORIES = ['name', 'email', 'phone', 'address', 'id'] as const;
const EFFECTS = { off: 'off', on: 'on', without_effect: 'warn', withheld: 'warn' } as const;
// Confirmation word for weaker masking; the same in every language.
const CONFIRM = 'unmasked';

export function maskingTag({ texts }: AccountVisit, { masking_effect }: Settings): Html {
  const effect = effectOf(masking_effect);
  return tag(EFFECTS[effect], texts.settings.effects[effect].short);
}

const effectOf = (effect: string): keyof typeof EFFECTS =>
  Object.hasOwn(EFFECTS, effect) ? (effect as keyof typeof EFFECTS) : 'off';

export async function getSettings(visit: AccountVisit, errors: FieldErrors = {}): Promise<Reply> {
  const { texts, format } = visit;
  const { settings: t } = texts;
  const [settings, { attributes }, status, notices] = await Promise.all([
    visit.admin.showSettings({}),
    visit.admin.listAttributes({}),
    optional(visit.topics.showTextStatus({})),
    optional(visit.admin.showNotices({})),
  ]);
  const effect = t.effects[effectOf(settings.masking_effect)];
  const isWarning = settings.masking_effect === 'withheld' || settings.masking_effect === 'without_effect';
  const version = versionField(visit, settings);
  const filters = attributes.map(({ name, values, rare_values }) => ({
    value: name,
    text: t.filterChoice(name, format.number(values ?? 0), format.number(rare_values ?? 0)),
  }));
  const body = html`${isWarning ? html`<div class="block">${note('warn', effect.title, html`<p>${effect.text}</p>`)}</div>` : none}
  ${section(t.masking, form(visit, at(visit, '/settings/masking'), html`${version}${maskingFields(visit, settings, errors)}`), { aside: maskingTag(visit, settings) })}
  ${section(t.denied, form(visit, at(visit, '/settings/denied-words'), html`${version}${deniedFields(visit, settings, errors)}`), { id: 'denied-words' })}
  ${section(
    t.filter,
    form(
      visit,
      at(visit, '/settings/filter'),
      html`${version}${selectField('filter', { label: t.filterLabel, hint: t.filterHint, value: settings.text_filter_attribute?.name ?? '', choices: [{ value: '', text: t.noFilter }, ...filters], error: errors['filter'] })}${foot(t.saveFilter, { aside: t.filterAside })}`,
    ),
  )}
  ${section(
    texts.topics.title,
    form(
      visit,
      at(visit, '/settings/categorisation'),
      html`${version}${choiceField('categorisation', {
        type: 'radio',
        label: t.categorisation,
        hint: t.categorisationHint,
        values: [settings.categorisation ? 'on' : 'off'],
        choices: [
          { value: 'on', text: t.on },
          { value: 'off', text: t.off },
        ],
      })}${foot(texts.common.save)}`,
    ),
  )}
  ${mailSections(visit, settings, notices, errors)} ${personalData(visit, settings, errors)}
  ${section(
    t.progress,
    orUnavailable(visit, status, ({ answers, stages }) => progress(visit, answers, stages)),
  )}`;
  return formPage(visit, t.title, { section: 'settings', lead: t.lead, errors }, body);
}

function maskingFields(visit: AccountVisit, settings: Settings, errors: FieldErrors): Html {
  const { texts, form: typed } = visit;
  const { settings: t } = texts;
  const wasTyped = typed.has('masking');
  const isOn = wasTyped ? typed.get('masking') === 'on' : settings.masking;
  const chosen = wasTyped ? typed.getAll('category') : settings.masking_categories;
  return html`${choiceField('masking', {
      type: 'radio',
      label: t.maskingLabel,
      hint: t.maskingHint,
      values: [isOn ? 'on' : 'off'],
      choices: [
        { value: 'on', text: t.on },
        { value: 'off', text: t.maskingOff },
      ],
      error: errors['masking'],
    })}
    ${choiceField('category', { type: 'checkbox', label: t.categories, hint: t.categoriesHint, values: chosen, choices: CATEGORIES.map((value) => ({ value, text: t.categoryNames[value] })), error: errors['category'] })}
    <div class="set">
      <div>
        <b>${t.entitlement}</b>
        <p>${t.entitlementHint}</p>
      </div>
      <div>${settings.masking_entitled ? tag('on', t.entitled) : tag('off', t.notEntitled)}</div>
    </div>
    ${errors['confirm'] === undefined && !visit.isResumed ? none : textField('confirm', { label: texts.form.type(CONFIRM, t.saveMasking), hint: t.confirmHint, value: typed.get('confirm') ?? '', error: errors['confirm'] })}
    ${foot(t.saveMasking, { aside: t.maskingAside })}`;
}

function deniedFields({ texts, form: typed }: AccountVisit, settings: Settings, errors: FieldErrors): Html {
  const { settings: t } = texts;
  const value = typed.get('denied') ?? settings.masking_denied_words.join('\n');
  return html`${linesField('denied', { label: t.deniedLabel, hint: t.deniedHint, value, error: errors['denied'] })}
  ${textField('reason', { label: t.deniedReason, hint: t.deniedReasonHint, value: typed.get('reason') ?? '', maxLength: 200, error: errors['reason'] })}
  ${foot(texts.common.save)}`;
}

const STEP_PERCENT = 10;
const MIN_ANSWERS = 100;

/**
 * Returns steps of 10 %, each of which is at least ten texts: a finer one would tell when an
 * employee responds. Fewer than 100 texts are done or not.
 */
export function percentDone(answers: number, { version, not_enqueued, waiting, in_progress }: StageStatus): number {
  const open = not_enqueued + waiting + in_progress;
  if (version == null) return 0;
  if (answers === 0 || open === 0) return 100;
  return answers < MIN_ANSWERS ? 0 : STEP_PERCENT * Math.floor((100 * (answers - open)) / answers / STEP_PERCENT);
}

export function doneText({ texts: { settings: t }, format }: AccountVisit, percent: number): string {
  if (percent === 0) return t.underWay;
  return percent === 100 ? t.upToDate : t.over(format.percent(percent / 100));
}

function progress(visit: AccountVisit, answers: number, stages: readonly StageStatus[]): Html {
  const { settings: t } = visit.texts;
  const names: Readonly<Record<string, string>> = t.stages;
  const behind = stages.filter((stage) => stage.version != null && percentDone(answers, stage) < 100);
  if (behind.length === 0) return panel(html`<p class="pad muted">${t.upToDate}</p>`);
  const rows = behind.map((stage) => {
    const percent = percentDone(answers, stage);
    return html`<div class="set">
      <div><b>${names[stage.stage] ?? stage.stage}</b></div>
      <div>
        <svg class="meter" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
          <rect width="${percent}" height="1" /></svg
        ><span class="muted small">${doneText(visit, percent)}</span>
      </div>
    </div>`;
  });
  // Bounded: the stages of text analysis.
  return panel(...rows, html`<div class="tfoot"><span>${t.rounded}</span></div>`);
}

export async function postMasking(visit: AccountVisit): Promise<Reply> {
  const { texts, form: typed } = visit;
  const { settings: t } = texts;
  const before = await visit.admin.showSettings({});
  const masking = typed.get('masking') === 'on';
  const categories = CATEGORIES.filter((each) => typed.getAll('category').includes(each));
  if (masking && !before.masking && !before.masking_entitled) return getSettings(visit, { masking: t.notEntitledError });
  if (masking && categories.length === 0) return getSettings(visit, { category: t.categoriesError });
  const isLess =
    before.masking && (!masking || before.masking_categories.some((each) => !categories.some((category) => category === each)));
  if (isLess && !(await isTyped(visit, CONFIRM)))
    return getSettings(visit, { confirm: typed.has('confirm') ? texts.form.notTyped(CONFIRM) : t.confirmNeeded(CONFIRM) });
  if (isLess) {
    const again = await stepUpNeeded(visit, at(visit, '/settings'));
    if (again !== undefined) return again;
  }
  const masking_categories = categories.length === 0 ? null : { names: categories };
  return changeSettings(visit, { masking, masking_categories }, 'category');
}

const MAX_DENIED = 1_000;

/** Changes the words that are hidden in every text (rule TEXTS-WITHHELD-2). */
export async function postDeniedWords(visit: AccountVisit): Promise<Reply> {
  const { texts, form: typed } = visit;
  const reason = (typed.get('reason') ?? '').trim();
  const words = (typed.get('denied') ?? '').split('\n').flatMap((line) => line.trim() || []);
  const isBad = words.length > MAX_DENIED || !words.every((word) => /^(?=.*[\p{L}\p{N}])\P{C}{2,100}$/u.test(word));
  if (isBad) return getSettings(visit, { denied: texts.settings.deniedError });
  if (!isReason(reason)) return getSettings(visit, { reason: texts.form.reasonError });
  return changeSettings(visit, { masking_denied_words: { words }, reason }, 'denied');
}

export async function postFilter(visit: AccountVisit): Promise<Reply> {
  return changeSettings(visit, { text_filter_attribute: visit.form.get('filter') ?? '' }, 'filter');
}

export async function postCategorisation(visit: AccountVisit): Promise<Reply> {
  return changeSettings(visit, { categorisation: visit.form.get('categorisation') === 'on' }, 'categorisation');
}

/** Changes what happens to answers of erased employees. Deleting them needs a recent sign-in. */
export async function postErasedAnswers(visit: AccountVisit): Promise<Reply> {
  const erased_answers = visit.form.get('erased_answers') === 'delete' ? 'delete' : 'anonymise';
  if (erased_answers === 'delete') {
    const again = await stepUpNeeded(visit, at(visit, '/settings'));
    if (again !== undefined) return again;
  }
  return changeSettings(visit, { erased_answers }, 'erased_answers');
}

/** Saves a change of this page; an error is shown at the field. */
export const changeSettings = (visit: AccountVisit, change: Partial<SetSettingsRequest>, field: string): Promise<Reply> =>
  saveSettings(visit, change, { path: '/settings', reject: (text) => getSettings(visit, { [field]: text }) });

const RETENTIONS = ['offboarded_days', 'answers_days', 'outcomes_days', 'audit_days'] as const;

/** Renders what happens to answers of erased employees, and how long data is kept. */
function personalData(visit: AccountVisit, settings: Settings, errors: FieldErrors): Html {
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
  const periods = definitions(
    RETENTIONS.map((name) => {
      // An account-admin of the previous release tells no defaults.
      const days = settings[`retain_${name}`] ?? settings.default_retention?.[name];
      return [t.names[name], days == null ? t.byDefault : days === 0 ? t.forEver : t.days(format.number(days))];
    }),
  );
  return html`${section(t.erasure, form(visit, at(visit, '/settings/erased-answers'), html`${versionField(visit, settings)}${choice}${foot(texts.common.save)}`))}
  ${section(t.title, panel(html`<div class="pad">${periods}</div>`), { aside: t.aside })}`;
}
