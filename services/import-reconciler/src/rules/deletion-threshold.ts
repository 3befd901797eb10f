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
  const threshold = scaled(thresholdPercent);
  const exceeds = BigInt(offboarded) * 100n * SCALE > threshold * BigInt(managed);
  if (!exceeds) return undefined;
  const percent = percentAbove(threshold, offboarded, managed);
  return `offboarding ${offboarded} of ${managed} managed employees is ${percent} %, above the threshold of ${thresholdPercent} %`;
}

function scaled(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole) * SCALE + BigInt(fraction.padEnd(4, '0').slice(0, 4));
}

// Truncated, with as many decimals as it takes to be above the threshold: 9 of 44 is 20.4545 %, and
// 1 of 3 is 33.33333 % if the threshold is 33.3333 %.
function percentAbove(threshold: bigint, part: number, whole: number): string {
  let decimals = 4;
  let percent = 0n;
  for (let scale = SCALE; ; decimals += 1, scale *= 10n) {
    percent = (BigInt(part) * 100n * scale) / BigInt(whole);
    if (percent * SCALE > threshold * scale) break;
  }
  const digits = String(percent).padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, '');
}
