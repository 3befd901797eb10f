import type { CycleRelease, GuardSetting, Settings } from '@survey/proto/admin/v1/admin.ts';
import { cyclePlot } from '../views/bars.ts';
import { formPage, optional, isReason } from '../views/form-results.ts';
import { html, type Html } from '../views/html.ts';
import {
  at,
  type Column,
  definitions,
  type FieldErrors,
  foot,
  form,
  orUnavailable,
  panel,
  section,
  table,
  textField,
  choiceField,
} from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { saveSettings, versionField, versionOf } from './save-settings.ts';
import { stepUpNeeded } from '../sign-in/step-up.ts';

const MAX_SETTLING_HOURS = 720;
// The newest; surveyctl reports all.
const MAX_CYCLES = 24;
// Narrow screens have no room for the other columns, which the plot shows as well.
const IN_NARROW_TABLES: ReadonlySet<string> = new Set(['scores_released', 'scores_too_few', 'texts_released']);

/** Shows the disclosure guard's setting, and what it has released and withheld. */
export async function getGuard(visit: AccountVisit, errors: FieldErrors = {}): Promise<Reply> {
  const { guard: t } = visit.texts;
  const [settings, report] = await Promise.all([visit.admin.showSettings({}), optional(visit.admin.reportAnonymity({}))]);
  const body = html`${section(t.setting, settingForm(visit, settings, errors))}
  ${section(
    t.released,
    orUnavailable(visit, report, ({ cycles }) => releaseTable(visit, cycles)),
    { aside: t.releasedAside },
  )}
  ${section(
    t.changes,
    orUnavailable(visit, report, ({ settings: changes }) => panel(changeTable(visit, changes))),
  )}`;
  return formPage(visit, t.title, { section: 'guard', lead: t.lead, errors }, body);
}

function settingForm(visit: AccountVisit, settings: Settings, errors: FieldErrors): Html {
  const { guard: t, common } = visit.texts;
  const now = settings.disclosure_guard === 'strict' ? t.strict : t.off;
  const hours = textField('hours', {
    label: t.hours,
    hint: t.hoursHint,
    unit: t.hoursUnit,
    inputmode: 'numeric',
    value: visit.form.get('hours') ?? String(settings.guard_settling_hours),
    error: errors['hours'],
  });
  return html`<div class="panel pad block">
      ${definitions([[t.now, settings.guard_decided ? now : html`${now} (${t.undecided})`]])}
      <p class="row"><a class="btn" href="${at(visit, '/guard/decision')}">${settings.guard_decided ? t.change : t.decide}</a></p>
    </div>
    ${form(visit, at(visit, '/guard'), html`${versionField(visit, settings)}${hours}${foot(common.save, { aside: t.aside })}`)}`;
}

function releaseTable(visit: AccountVisit, all: readonly CycleRelease[]): Html {
  const { texts, format } = visit;
  const cycles = all.slice(-MAX_CYCLES);
  if (cycles.length === 0) return panel(html`<p class="pad muted">${texts.guard.none}</p>`);
  const shown = html`<div class="tfoot">
    <span>${texts.common.of(format.number(cycles.length), format.number(all.length))}</span>
  </div>`;
  return panel(releasePlot(visit, cycles), cycleTable(visit, cycles.toReversed()), shown);
}

function cycleTable({ texts, format }: AccountVisit, cycles: readonly CycleRelease[]): Html {
  const { guard: t } = texts;
  const columns: Column<CycleRelease>[] = [
    { title: t.closed, cell: ({ day }) => html`<span class="nw">${format.day(day)}</span>` },
    { title: t.survey, isOptional: true, cell: ({ survey_id }) => String(survey_id) },
    ...DECISIONS.map((decision) => ({
      title: t.decisions[decision],
      isNumber: true,
      isOptional: !IN_NARROW_TABLES.has(decision),
      cell: (cycle: CycleRelease) => format.number(cycle[decision]),
    })),
  ];
  return table(t.released, columns, cycles, t.none);
}

function changeTable({ texts, format }: AccountVisit, changes: readonly GuardSetting[]): Html {
  const { guard: t } = texts;
  const columns = [
    { title: texts.common.day, cell: ({ changed_at }: GuardSetting) => format.day(changed_at) },
    { title: t.title, cell: ({ disclosure_guard }: GuardSetting) => (disclosure_guard === 'strict' ? t.strict : t.off) },
    {
      title: t.hours,
      isNumber: true,
      cell: ({ guard_settling_hours }: GuardSetting) => format.number(guard_settling_hours),
    },
  ];
  return table(t.changes, columns, changes, t.neverChanged);
}

/** Changes after how many hours results of a cycle appear. */
export async function postGuard(visit: AccountVisit): Promise<Reply> {
  const { form: typed, texts } = visit;
  const guard_settling_hours = Number((typed.get('hours') ?? '').trim() || Number.NaN);
  if (!(guard_settling_hours >= 1 && guard_settling_hours <= MAX_SETTLING_HOURS && Number.isInteger(guard_settling_hours)))
    return getGuard(visit, { hours: texts.guard.hoursError });
  return saveSettings(visit, { guard_settling_hours }, { path: '/guard', reject: (hours) => getGuard(visit, { hours }) });
}

const DECISIONS = [
  'scores_released',
  'scores_too_few',
  'scores_dominated',
  'scores_late',
  'texts_released',
  'texts_withheld',
] as const;
const COLOURS = {
  scores_released: 'var(--c1)',
  scores_too_few: 'var(--c3)',
  scores_dominated: 'var(--c3)',
  scores_late: 'var(--c2)',
  texts_released: 'var(--c1)',
  texts_withheld: 'var(--c3)',
};

// The questions released and withheld.
function releasePlot(visit: AccountVisit, cycles: readonly CycleRelease[]): Html {
  const { texts, format } = visit;
  const { guard: t } = texts;
  const [from = '', to = ''] = [cycles[0]?.day ?? '', cycles.at(-1)?.day ?? ''].map((day) => format.shortDay(day));
  const rows = DECISIONS.map((decision) => ({
    name: t.decisions[decision],
    colour: COLOURS[decision],
    values: cycles.map((cycle) => cycle[decision]),
  }));
  const names = cycles.map(({ day, survey_id }) => t.cycleOf(format.day(day), String(survey_id)));
  return cyclePlot(visit, { cycles: names, from, to, rows, labelOf: t.plotLabel, caption: t.plotCaption });
}

// Typed to decide, in every language.
const WORDS = { strict: 'strict', off: 'unguarded' } as const;

/**
 * Shows what follows from the disclosure guard and from results without it, on one page, and asks
 * for a decision.
 */
export async function getDecision(visit: AccountVisit, errors: FieldErrors = {}): Promise<Reply> {
  const { texts, form: typed } = visit;
  const { guard: t } = texts;
  const settings = await visit.admin.showSettings({});
  const consequences = table(
    t.consequences,
    [
      { title: t.about, cell: ([about]: readonly string[]) => about ?? '' },
      { title: t.strict, cell: ([, strict]: readonly string[]) => strict ?? '' },
      { title: t.off, cell: ([, , off]: readonly string[]) => off ?? '' },
    ],
    t.consequenceRows,
    '',
  );
  const fields = html`<input type="hidden" name="version" value="${versionOf(visit, settings)}" />${choiceField('guard', {
      type: 'radio',
      label: t.title,
      values: [typed.get('guard') ?? (settings.guard_decided ? settings.disclosure_guard : '')],
      choices: [
        { value: 'strict', text: t.chooseStrict },
        { value: 'off', text: t.chooseOff },
      ],
      error: errors['guard'],
    })}${textField('confirm', {
      label: t.word,
      hint: t.wordHint(WORDS.strict, WORDS.off),
      value: typed.get('confirm') ?? '',
      error: errors['confirm'],
    })}${textField('reason', {
      label: t.reason,
      hint: t.reasonHint,
      maxLength: 200,
      value: typed.get('reason') ?? '',
      error: errors['reason'],
    })}${foot(t.record, { cancel: { path: at(visit, '/guard'), text: texts.common.cancel } })}`;
  const body = html`${section(t.consequences, panel(consequences))}
  ${section(t.decision, form(visit, at(visit, '/guard/decision'), fields))}`;
  const crumb = { path: at(visit, '/guard'), text: t.title };
  return formPage(visit, t.decisionTitle, { section: 'guard', lead: t.decisionLead, crumb, errors }, body);
}

/**
 * Records the decision. It needs a typed word, and results without the guard also need a reason and
 * a recent sign-in (rule GUARD-SETTING-1).
 */
export async function postDecision(visit: AccountVisit): Promise<Reply> {
  const { form: typed, texts } = visit;
  const { guard: t } = texts;
  const chosen = typed.get('guard');
  if (chosen !== 'strict' && chosen !== 'off') return getDecision(visit, { guard: t.chooseOne });
  if (typed.get('confirm')?.trim() !== WORDS[chosen]) return getDecision(visit, { confirm: texts.form.notTyped(WORDS[chosen]) });
  const reason = (typed.get('reason') ?? '').trim();
  if (!isReason(reason) && (chosen === 'off' || reason !== '')) return getDecision(visit, { reason: texts.form.reasonError });
  if (chosen === 'off') {
    const again = await stepUpNeeded(visit, at(visit, '/guard/decision'));
    if (again !== undefined) return again;
  }
  const reject = (guard: string): Promise<Reply> => getDecision(visit, { guard });
  return saveSettings(visit, { disclosure_guard: chosen }, { path: '/guard', reject, reason });
}
