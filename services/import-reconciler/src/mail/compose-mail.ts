import {
  IDENTITY_WARNINGS,
  importReasonText,
  reasonLanguage,
  recordReasonText,
  type ReasonLanguage,
} from '@survey/formats/import-reasons.ts';
import { MAIL_TEXTS } from './mail-texts.ts';
import type { ConfirmationRequest, DueMail, GuardChange, ImportNotice, KeyExpiry, Recipient, ScheduleNotice } from './mails.ts';
import type { Outcome } from './outcome.ts';

interface ComposedMail {
  subject: string;
  text: string;
  // Attached as outcome.json.
  outcome?: Outcome;
  // Link of the header List-Unsubscribe.
  unsubscribe?: string;
}

const LISTED = 50;

/**
 * Composes a plain-text mail in the reader's language: the cause first, then figures and the first
 * records, then what to do, with one link into the console. The owner of a further address also
 * gets the link that ends the mails.
 * @throws when a mail cannot do without a link and there is no console
 */
export function composeMail(
  { accountId, about }: Pick<DueMail, 'accountId' | 'about'>,
  { id, stopToken, ...reader }: Pick<Recipient, 'id' | 'language' | 'stopToken'>,
  consoleUrl: string | undefined,
): ComposedMail {
  const language = reasonLanguage(reader.language);
  if ('guard' in about) return composeGuardChange(about, language);
  if ('token' in about) return composeRequest(accountId, about, language, consoleUrl);
  const page = (path: string): string[] => (consoleUrl === undefined ? [] : [`${consoleUrl}/a/${accountId}${path}`]);
  if ('keyName' in about) return composeKeyExpiry(about, language, page('/keys'));
  const mail =
    'kind' in about
      ? composeSchedule(about, language, page('/imports'))
      : composeImport(about, language, page(`/imports/${about.importUuid}`));
  if (stopToken === null || consoleUrl === undefined) return mail;
  const unsubscribe = `${consoleUrl}/mail/${accountId}/${id}/stop/${stopToken}`;
  return { ...mail, text: paragraphs([[mail.text], [MAIL_TEXTS[language].stop, unsubscribe]]), unsubscribe };
}

function composeRequest(
  accountId: number,
  { accountName, addressId, token }: ConfirmationRequest,
  language: ReasonLanguage,
  consoleUrl: string | undefined,
): ComposedMail {
  if (consoleUrl === undefined) throw new Error('CONSOLE_URL is not set: without it, no address can be confirmed');
  const t = MAIL_TEXTS[language].confirm;
  const link = `${consoleUrl}/mail/${accountId}/${addressId}/confirm/${token}`;
  return { subject: t.subject, text: paragraphs([[t.asked(printable(accountName))], [t.open, link], [t.ignore]]) };
}

function composeKeyExpiry({ keyName, scope, expiresAt }: KeyExpiry, language: ReasonLanguage, link: readonly string[]) {
  const t = MAIL_TEXTS[language].keyExpiry;
  const expires = t.expires(printable(keyName), scope, mailTime(expiresAt));
  return { subject: t.subject(expiresAt.slice(0, 10)), text: paragraphs([[expires], [t.advice], link]) };
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
  const { importUuid, state, acceptedAt, reasons, snapshotWarnings, counts, skipped, warnings, records } = notice;
  const t = MAIL_TEXTS[language];
  const at = mailTime(acceptedAt);
  const said = (all: ImportNotice['reasons']): string[] => all.map((reason) => `- ${importReasonText(reason, language)}`);
  const noticed = snapshotWarnings.length > 0 ? [t.noticed, ...said(snapshotWarnings)] : [];
  const outcome = outcomeOf(notice);
  const reference = [...link, t.reference(importUuid)];
  if (state === 'failed' || state === 'cancelled') {
    const { subject, opening, advice } = t[state];
    return { subject, text: paragraphs([[opening(at)], said(reasons), noticed, [advice], reference]), outcome };
  }
  const isIdentity = (code: string): boolean => IDENTITY_WARNINGS.some((each) => each === code);
  const [identities, others] = [pick(warnings, isIdentity), pick(warnings, (code) => !isIdentity(code))];
  const inDoubt = sum(identities);
  const more = counts.skipped + inDoubt - Math.min(records.length, LISTED);
  const { skippedSubject, identitySubject, warningSubject } = t.applied;
  return {
    subject: counts.skipped > 0 ? skippedSubject(counts.skipped) : inDoubt > 0 ? identitySubject(inDoubt) : warningSubject,
    text: paragraphs([
      counts.skipped > 0 ? [t.applied.skipped(counts.skipped, at), ...byCode(skipped, language)] : [],
      inDoubt > 0 ? [t.applied.identity(inDoubt, at), ...byCode(identities, language)] : [],
      counts.skipped === 0 && inDoubt === 0 ? [t.applied.applied(at)] : [],
      noticed,
      sum(others) > 0 ? [t.applied.others, ...byCode(others, language)] : [],
      [t.applied.counts(counts)],
      [
        ...records.slice(0, LISTED).map(({ import_id, codes }) => {
          const why = codes.map((code) => recordReasonText(code, language)).join('; ');
          return `- ${printable(import_id ?? t.applied.erased)}: ${why}`;
        }),
        ...(more > 0 ? [t.applied.more(more)] : []),
      ],
      [t.applied.advice],
      reference,
    ]),
    outcome,
  };
}

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

const pick = (counts: Readonly<Record<string, number>>, isWanted: (code: string) => boolean): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([code]) => isWanted(code)));

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
    snapshot_warnings: notice.snapshotWarnings,
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

// Text from outside must not add lines to the mail.
function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, ' ');
}
