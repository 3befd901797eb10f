import type { SkippedSummary } from '../sql/mails.ts';

/**
 * Composes a plain-text mail to the account's admins: the failure, or the counts and the first 50
 * skipped records with import_id and reasons.
 */
export function composeSummary(summary: SkippedSummary): { subject: string; text: string } {
  return summary.state === 'failed' ? composeFailed(summary) : composeSkipped(summary);
}

function composeFailed({ importUuid, acceptedAt }: SkippedSummary): { subject: string; text: string } {
  const lines = [
    `The import accepted at ${acceptedAt} failed because of a fault of the service. Nothing was changed.`,
    '',
    `Send the snapshot again. If it fails again, contact support. Reference: ${importUuid}`,
  ];
  return { subject: 'Employee import failed', text: lines.join('\n') };
}

function composeSkipped({ importUuid, acceptedAt, counts, skipped }: SkippedSummary): { subject: string; text: string } {
  const people = counts.skipped === 1 ? '1 employee was' : `${counts.skipped} employees were`;
  const more = counts.skipped - skipped.length;
  const lines = [
    `${people} skipped by the import accepted at ${acceptedAt}. Skipped employees are unchanged; all other records were applied.`,
    '',
    `created ${counts.created}, updated ${counts.updated}, unchanged ${counts.unchanged}, reactivated ${counts.reactivated}, ` +
      `offboarded ${counts.offboarded}, skipped ${counts.skipped}`,
    '',
    ...skipped.map(({ import_id, details }) => `- ${printable(import_id ?? 'an erased employee')}: ${details.join('; ')}`),
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
