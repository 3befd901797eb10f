const SCALE = 10_000n;

/** Returns a decimal percentage with up to four decimals as an exact number of ten-thousandths. */
export function scaledPercent(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole) * SCALE + BigInt(fraction.padEnd(4, '0').slice(0, 4));
}

/** Returns whether a part of a whole is strictly more than a percentage, in exact integers. */
export function isAbovePercent(thresholdPercent: string, part: number, whole: number): boolean {
  return BigInt(part) * 100n * SCALE > scaledPercent(thresholdPercent) * BigInt(whole);
}

/**
 * Returns what percentage a part is, as decimal text that is to be read next to a threshold:
 * truncated, with as many decimals as it takes to be above the threshold if the part is. 9 of 44 is
 * 20.4545, and 1 of 3 is 33.33333 if the threshold is 33.3333.
 */
export function percentNextTo(thresholdPercent: string, part: number, whole: number): string {
  if (whole === 0) return '0';
  const isAbove = isAbovePercent(thresholdPercent, part, whole);
  const threshold = scaledPercent(thresholdPercent);
  let decimals = 4;
  let percent = 0n;
  for (let scale = SCALE; ; decimals += 1, scale *= 10n) {
    percent = (BigInt(part) * 100n * scale) / BigInt(whole);
    if (!isAbove || percent * SCALE > threshold * scale) break;
  }
  const digits = String(percent).padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, '');
}
