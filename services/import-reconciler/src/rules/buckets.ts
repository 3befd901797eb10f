import type { DerivedAttribute } from '@survey/formats/attribute-name.ts';

const LABELS: Record<DerivedAttribute, (years: number) => string> = {
  'age category': ageLabel,
  seniority: seniorityLabel,
};

/**
 * Returns the bucket to store (rules IMPORT-ATTRIBUTES-YEARS-1, IMPORT-ATTRIBUTES-YEARS-2 and
 * IMPORT-ATTRIBUTES-YEARS-3).
 * @param year birth year or joining year, as sent
 * @param acceptedYear UTC year in which the import was accepted, so that a redelivery after New
 * Year returns the same bucket (rule IMPORT-ATTRIBUTES-YEARS-4)
 * @returns undefined when the value is not exactly four ASCII digits; the employee is then skipped.
 * A year in the future falls into the lowest bucket.
 */
export function bucketFor(attribute: DerivedAttribute, year: string, acceptedYear: number): string | undefined {
  if (!/^[0-9]{4}$/.test(year)) return undefined;
  return LABELS[attribute](acceptedYear - Number(year));
}

function ageLabel(years: number): string {
  if (years < 20) return '< 20';
  if (years >= 60) return '60+';
  const from = Math.floor(years / 10) * 10;
  return `${from}-${from + 9}`;
}

function seniorityLabel(years: number): string {
  if (years < 5) return '< 5';
  if (years >= 45) return '45+';
  const from = Math.floor(years / 5) * 5;
  return `${twoDigits(from)}-${twoDigits(from + 4)}`;
}

function twoDigits(years: number): string {
  return String(years).padStart(2, '0');
}
