import { importReasonText, recordReasonText, type ReasonLanguage } from '@survey/formats/import-reasons.ts';
import { MAIL_TEXTS } from './mail-texts.ts';
import type { GuardChange, ImportNotice, ScheduleNotice } from './mails.ts';
import type { Outcome } from './outcome.ts';

export interface ComposedMail {
  subject: string;
  text: string;
  // Attached as outcome.json.
  outcome?: Outcome;
}

const LISTED = 50;

/**
 * Composes a plain-text mail in the reader's language: the cause first, then figures and the first
 * records, then what to do, with one link into the console.
 */
export function composeMail(
  about: ImportNotice | GuardChange | ScheduleNotice,
  language: ReasonLanguage,
  consoleUrl: string | undefined,
): ComposedMail {
  if ('guard' in about) return composeGuardChange(about, language);
  const page = (path: string): string[] =>
    consoleUrl === undefined ? [] : [`${consoleUrl}/a/${about.accountId}/imports${path}`];
  if ('kind' in about) return composeSchedule(about, language, page(''));
  return composeImport(about, language, page(`/${about.importUuid}`));
}

function composeGuardChange({ guard, settlingHours, changedAt, settingsVersion }: GuardChange, language: ReasonLanguage) {
  const t = MAIL_TEXTS[language].guard;
  const lines = [
    t.set(guard, mailTime(changedAt)),
    '',
    guard === 'strict' ? t.strict(settlingHours) : t.off,
    t.readBefore,
    '',
    t.reference(settingsVersion),
  ];
  return { subject: t.subject(guard), text: lines.join('\n') };
}

function composeSchedule({ kind, expectedBy }: ScheduleNotice, language: ReasonLanguage, link: readonly string[]): ComposedMail {
  const t = MAIL_TEXTS[language].schedule;
  const outcome: Outcome = { version: 1, state: kind, ...(expectedBy !== null && { expected_by: expectedBy }) };
  const lines = kind === 'late' ? [t.late(mailTime(expectedBy ?? '')), '', t.lateAdvice] : [t.resumed];
  return { subject: kind === 'late' ? t.lateSubject : t.resumedSubject, text: paragraphs([lines, link]), outcome };
}

function composeImport(notice: ImportNotice, language: ReasonLanguage, link: readonly string[]): ComposedMail {
  const { importUuid, state, acceptedAt, reasons, counts, skipped, warnings, records } = notice;
  const t = MAIL_TEXTS[language];
  const at = mailTime(acceptedAt);
  const why = reasons.map((reason) => `- ${importReasonText(reason, language)}`);
  const noted = Object.values(warnings).reduce((total, count) => total + count, 0);
  const outcome = outcomeOf(notice);
  if (state === 'failed' || state === 'cancelled') {
    const { subject, opening, advice } = t[state];
    return { subject, text: paragraphs([[opening(at)], why, [advice], [...link, t.reference(importUuid)]]), outcome };
  }
  const more = counts.skipped + noted - Math.min(records.length, LISTED);
  return {
    subject: counts.skipped > 0 ? t.applied.skippedSubject(counts.skipped) : t.applied.identitySubject(noted),
    text: paragraphs([
      counts.skipped > 0 ? [t.applied.skipped(counts.skipped, at), ...byCode(skipped, language)] : [],
      noted > 0 ? [t.applied.identity(noted, at), ...byCode(warnings, language)] : [],
      [t.applied.counts(counts)],
      [
        ...records.slice(0, LISTED).map(({ import_id, codes }) => {
          const said = codes.map((code) => recordReasonText(code, language)).join('; ');
          return `- ${printable(import_id ?? t.applied.erased)}: ${said}`;
        }),
        ...(more > 0 ? [t.applied.more(more)] : []),
      ],
      [t.applied.advice],
      [...link, t.reference(importUuid)],
    ]),
    outcome,
  };
}

function outcomeOf(notice: ImportNotice): Outcome {
  const { importUuid, state, acceptedAt, finishedAt, employeesTotal, counts, reasons, skipped, warnings, records } = notice;
  return {
    version: 1,
    state,
    import_uuid: importUuid,
    accepted_at: acceptedAt,
    finished_at: finishedAt,
    records: employeesTotal,
    counts,
    reasons,
    skipped,
    warnings,
    import_ids: records,
  };
}

const byCode = (codes: Readonly<Record<string, number>>, language: ReasonLanguage): string[] =>
  Object.entries(codes).map(([code, count]) => `- ${count}: ${recordReasonText(code, language)}`);

const paragraphs = (all: readonly (readonly string[])[]): string =>
  all
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');

const mailTime = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;

// The import_id comes from the source system and must not add lines to the mail.
function printable(importId: string): string {
  return importId.replaceAll(/\p{C}/gu, ' ');
}
