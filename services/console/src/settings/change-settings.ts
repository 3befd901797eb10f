import type { SetSettingsRequest, Settings } from '@survey/proto/admin/v1/admin.ts';
import { isTyped, stepUpNeeded } from '../sign-in/step-up.ts';
import { isReason } from '../views/form-results.ts';
import { at, type FieldErrors } from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { saveSettings } from './save-settings.ts';
import { CONFIRM, getSettings } from './settings-page.ts';
import { CATEGORIES, formValues, KINDS, SCHEDULES, type SettingsValues } from './settings-values.ts';

const MAX_DENIED = 1_000;
const MAX_KEY_DAYS = 3_650;
const DENIED_WORD = /^(?=.*[\p{L}\p{N}])\P{C}{2,100}$/u;

/**
 * Saves what was changed on the page, all or nothing. Masking less needs a typed word; that and
 * deleting answers need a recent sign-in. Hidden words need a reason (rule TEXTS-WITHHELD-2).
 */
export async function postSettings(visit: AccountVisit): Promise<Reply> {
  const before = await visit.admin.showSettings({});
  const { values, changed } = formValues(visit, before);
  const reason = (visit.form.get('reason') ?? '').trim();
  const isLess = masksLess(before, values);
  const errors: FieldErrors = {
    ...valueErrors(visit, before, values),
    ...((changed.has('denied') || reason !== '') && !isReason(reason) && { reason: visit.texts.form.reasonError }),
    ...(isLess && !(await isTyped(visit, CONFIRM)) && { confirm: visit.texts.form.notTyped(CONFIRM) }),
  };
  if (Object.keys(errors).length > 0) return getSettings(visit, errors);
  if (isLess || (changed.has('erased_answers') && values.erased_answers[0] === 'delete')) {
    const again = await stepUpNeeded(visit, at(visit, '/settings'));
    if (again !== undefined) return again;
  }
  const [first = 'masking'] = changed;
  return saveSettings(visit, changeOf(values, changed), {
    path: '/settings',
    reject: (text) => getSettings(visit, { [first]: text }),
    reason,
  });
}

const masksLess = (before: Settings, { masking, category }: SettingsValues): boolean =>
  before.masking && (masking[0] !== 'on' || before.masking_categories.some((each) => !category.includes(each)));

function valueErrors({ texts: { settings: t, keys } }: AccountVisit, before: Settings, values: SettingsValues): FieldErrors {
  const isOn = values.masking[0] === 'on';
  const areWordsValid = values.denied.length <= MAX_DENIED && values.denied.every((word) => DENIED_WORD.test(word));
  return {
    ...(isOn && !before.masking && !before.masking_entitled && { masking: t.notEntitledError }),
    ...(isOn && values.category.length === 0 && { category: t.categoriesError }),
    ...(!areWordsValid && { denied: t.deniedError }),
    ...(!isKeyDays(values.max_days[0]?.trim() ?? '') && { max_days: keys.maxDaysError }),
  };
}

const isKeyDays = (text: string): boolean =>
  /^\d{0,4}$/.test(text) && (text === '' || (Number(text) > 0 && Number(text) <= MAX_KEY_DAYS));

function changeOf(values: SettingsValues, changed: ReadonlySet<string>): Partial<SetSettingsRequest> {
  const categories = CATEGORIES.filter((each) => values.category.includes(each));
  const schedule = SCHEDULES.find((each) => each === values.schedule[0]) ?? 'learned';
  const [hour = ''] = values.hour;
  return {
    ...(changed.has('masking') && { masking: values.masking[0] === 'on' }),
    ...(changed.has('category') && categories.length > 0 && { masking_categories: { names: categories } }),
    ...(changed.has('denied') && { masking_denied_words: { words: [...values.denied] } }),
    ...(changed.has('filter') && { text_filter_attribute: values.filter[0] ?? '' }),
    ...(changed.has('categorisation') && { categorisation: values.categorisation[0] === 'on' }),
    ...(changed.has('kind') && { notices_off: { kinds: KINDS.filter((kind) => !values.kind.includes(kind)) } }),
    ...((changed.has('schedule') || changed.has('hour')) && {
      import_schedule: schedule,
      ...(schedule !== 'learned' && /^\d{1,2}$/.test(hour) && { import_schedule_hour: Number(hour) }),
    }),
    ...(changed.has('max_days') && { max_key_days: Number(values.max_days[0]) }),
    ...(changed.has('erased_answers') && { erased_answers: values.erased_answers[0] === 'delete' ? 'delete' : 'anonymise' }),
  };
}
