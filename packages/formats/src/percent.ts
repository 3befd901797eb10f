const SCALE = 10_000n;

/** Returns a decimal percentage with up to four decimals as an exact number of ten-thousandths. */
function scaledPercent(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole) * SCALE + BigInt(fraction.padEnd(4, '0').slice(0, 4));
}

/** Returns whether a part of a whole is strictly more than a percentage, in exact integers. */
export function isAbovePercent(thresholdPercent: string, part: number, whole: number): boolean {
  return BigInt(part) * 100n * SCALE > scaledPercent(thresholdPercent) * BigInt(whole);
}

/**
 * Returns what percentage a part is, as decimal text that is to be read next to a threshold:
 * rounded to one decimal, or as many as it takes to be above, at or below the threshold, 0 and 100
 * as the part is. 9 of 44 is 20.5, and 1 of 3 is 33.33333 if the threshold is 33.3333.
 */
export function percentNextTo(thresholdPercent: string, part: number, whole: number): string {
  if (whole === 0) return '0';
  const [exact, of] = [BigInt(part) * 100n, BigInt(whole)];
  const bounds = [0n, scaledPercent(thresholdPercent), 100n * SCALE];
  const order = (left: bigint, right: bigint): number => Number(left > right) - Number(left < right);
  for (let decimals = 1, scale = 10n; ; decimals += 1, scale *= 10n) {
    const percent = (2n * exact * scale + of) / (2n * of);
    if (bounds.some((bound) => order(percent * SCALE, bound * scale) !== order(exact * SCALE, bound * of))) continue;
    const digits = String(percent).padStart(decimals + 1, '0');
    return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, '');
  }
}
