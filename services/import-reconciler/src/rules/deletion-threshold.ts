interface Offboarding {
  // Managed employees that the snapshot omits.
  offboarded: number;
  // Managed employees: created by this API and not deleted, counted before the import changes
  // anything (rule IMPORT-THRESHOLD-3).
  managed: number;
  // Percentage as exact decimal text with up to four decimals.
  thresholdPercent: string;
}

const SCALE = 10_000n;

/**
 * Returns why the import is cancelled; undefined when the offboarding is within the threshold. Only
 * strictly more is too many, in exact integers (docs/rules/import-threshold.md). Offboarding no
 * employee is always allowed.
 */
export function thresholdReason({ offboarded, managed, thresholdPercent }: Offboarding): string | undefined {
  if (offboarded === 0) return undefined;
  const exceeds = BigInt(offboarded) * 100n * SCALE > scaled(thresholdPercent) * BigInt(managed);
  if (!exceeds) return undefined;
  const percent = percentText(offboarded, managed);
  return `offboarding ${offboarded} of ${managed} managed employees is ${percent} %, above the threshold of ${thresholdPercent} %`;
}

function scaled(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole) * SCALE + BigInt(fraction.padEnd(4, '0').slice(0, 4));
}

// At most four decimals, truncated so that it never equals the threshold by rounding: 9 of 44 is
// 20.4545 %.
function percentText(part: number, whole: number): string {
  const scaledPercent = (BigInt(part) * 100n * SCALE) / BigInt(whole);
  const text = `${scaledPercent / SCALE}.${String(scaledPercent % SCALE).padStart(4, '0')}`;
  return text.replace(/\.?0+$/, '');
}
