import { importReasonText, recordReasonText } from '@survey/formats/import-reasons.ts';
import type { GuardChange, SkippedSummary } from './mails.ts';

interface Composed {
  subject: string;
  text: string;
}

/**
 * Composes a plain-text mail to the account's admins: the failure of an import, the counts and the
 * first 50 skipped records with import_id and reasons, or the change of the disclosure guard.
 */
export function composeMail(about: SkippedSummary | GuardChange): Composed {
  if (!('importUuid' in about)) return composeGuardChange(about);
  return about.state === 'failed' ? composeFailed(about) : composeSkipped(about);
}

function composeGuardChange({ guard, settlingHours, changedAt, settingsVersion }: GuardChange): Composed {
  const effect =
    guard === 'strict'
      ? `Scores and texts are released for whole survey cycles, ${settlingHours} hours after they close, so that comparing requests reveals no group below the anonymity threshold.`
      : 'Each request is judged alone: comparing requests can reveal single answers.';
  const lines = [
    `The disclosure guard of your account was set to ${guard} at ${changedAt}.`,
    '',
    effect,
    'Results that were read before cannot be withdrawn.',
    '',
    `The audit log names who made the change. Reference: version ${settingsVersion} of the settings`,
  ];
  return { subject: `Disclosure guard: ${guard}`, text: lines.join('\n') };
}

function composeFailed({ importUuid, acceptedAt, reasons }: SkippedSummary): Composed {
  const lines = [
    `The import accepted at ${acceptedAt} failed because of a fault of the service: ${reasons.map((reason) => importReasonText(reason, 'en')).join('; ')}. Nothing was changed.`,
    '',
    `Send the snapshot again. If it fails again, contact support. Reference: ${importUuid}`,
  ];
  return { subject: 'Employee import failed', text: lines.join('\n') };
}

function composeSkipped({ importUuid, acceptedAt, counts, skipped }: SkippedSummary): Composed {
  const people = counts.skipped === 1 ? '1 employee was' : `${counts.skipped} employees were`;
  const more = counts.skipped - skipped.length;
  const lines = [
    `${people} skipped by the import accepted at ${acceptedAt}. Skipped employees are unchanged; all other records were applied.`,
    '',
    `created ${counts.created}, updated ${counts.updated}, unchanged ${counts.unchanged}, reactivated ${counts.reactivated}, ` +
      `offboarded ${counts.offboarded}, skipped ${counts.skipped}`,
    '',
    ...skipped.map(
      ({ import_id, codes }) =>
        `- ${printable(import_id ?? 'an erased employee')}: ${codes.map((code) => recordReasonText(code, 'en')).join('; ')}`,
    ),
    ...(more > 0 ? [`and ${more} more`] : []),
    '',
    `Correct them in the source system: the next snapshot is applied in full again. Reference: ${importUuid}`,
  ];
  return { subject: `Employee import: ${people} skipped`, text: lines.join('\n') };
}

// The import_id comes from the source system and must not add lines to the mail.
function printable(importId: string): string {
  return importId.replaceAll(/\p{C}/gu, ' ');
}
