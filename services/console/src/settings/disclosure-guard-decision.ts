import { formPage, isReason } from '../views/form-results.ts';
import { stepUpNeeded } from '../session/step-up.ts';
import { html } from '../views/html.ts';
import { at, choiceField, type FieldErrors, foot, form, panel, section, table, textField } from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { saveSettings, versionOf } from './save-settings.ts';

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
