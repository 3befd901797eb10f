/** What the mail says: counts and reasons, never a name, an address or an attribute. */
export interface SkippedSummary {
  importUuid: string;
  acceptedAt: string;
  counts: { created: number; updated: number; unchanged: number; reactivated: number; skipped: number; offboarded: number };
  // The first of the skipped, in the order of the list.
  skipped: readonly { import_id: string | null; details: readonly string[] }[];
}

/** A plain text mail to the account's admins: counts, and the first 50 skipped with import_id and reason. */
export function composeSummary({ importUuid, acceptedAt, counts, skipped }: SkippedSummary): { subject: string; text: string } {
  const people = counts.skipped === 1 ? '1 employee was' : `${counts.skipped} employees were`;
  const more = counts.skipped - skipped.length;
  const lines = [
    `${people} skipped by the import accepted at ${acceptedAt}. Skipped employees are left as they were; everybody else was applied.`,
    '',
    `created ${counts.created}, updated ${counts.updated}, unchanged ${counts.unchanged}, reactivated ${counts.reactivated}, ` +
      `offboarded ${counts.offboarded}, skipped ${counts.skipped}`,
    '',
    ...skipped.map(({ import_id, details }) => `- ${printable(import_id ?? '')}: ${details.join('; ')}`),
    ...(more > 0 ? [`and ${more} more`] : []),
    '',
    `Correct them in the source system: the next snapshot is applied in full again. Reference: ${importUuid}`,
  ];
  return { subject: `Employee import: ${people} skipped`, text: lines.join('\n') };
}

// An import_id is the source system's: it must not be able to make lines of its own.
function printable(importId: string): string {
  return importId.replaceAll(/\p{C}/gu, ' ');
}
