export interface Offboarding {
  // Employees this API manages and the snapshot omits.
  leaving: number;
  // Employees this API manages: created by it and not deleted, counted before the import changes anything (rule IMPORT-THRESHOLD-3).
  managed: number;
  // Percent, exact decimal text with up to four decimals.
  thresholdPercent: string;
}

const SCALE = 10_000n;

/**
 * Why the import is cancelled, or undefined when it may offboard so many: strictly more than the threshold is too many, in exact
 * integers (docs/rules/import-threshold.md). Offboarding nobody is always allowed.
 */
export function thresholdReason({ leaving, managed, thresholdPercent }: Offboarding): string | undefined {
  if (leaving === 0) return undefined;
  const exceeds = BigInt(leaving) * 100n * SCALE > scaled(thresholdPercent) * BigInt(managed);
  if (!exceeds) return undefined;
  const percent = percentText(leaving, managed);
  return `offboarding ${leaving} of ${managed} managed employees is ${percent} %, above the threshold of ${thresholdPercent} %`;
}

function scaled(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole) * SCALE + BigInt(fraction.padEnd(4, '0').slice(0, 4));
}

// Four decimals at most, never rounded to the threshold itself: 9 of 44 is 20.4545 %.
function percentText(part: number, whole: number): string {
  const scaledPercent = (BigInt(part) * 100n * SCALE) / BigInt(whole);
  const text = `${scaledPercent / SCALE}.${String(scaledPercent % SCALE).padStart(4, '0')}`;
  return text.replace(/\.?0+$/, '');
}
