export interface Row {
  readonly name: string;
  readonly goal: string;
  readonly figure: string;
}

// The normal deviate of a 95 % interval.
const Z = 1.96;

/** Returns a share in percent with the number of units, for units that depend on each other. */
export const percent = (part: number, whole: number): string =>
  whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} (of ${whole})`;

/** Returns a share in percent with its 95 % interval (Wilson's) and the number of cases. */
export function percentOfCases(part: number, whole: number): string {
  if (whole === 0) return '-';
  const share = part / whole;
  const middle = share + Z ** 2 / (2 * whole);
  const reach = Z * Math.sqrt((share * (1 - share)) / whole + Z ** 2 / (4 * whole ** 2));
  const [low, high] = [middle - reach, middle + reach].map((end) => ((100 * end) / (1 + Z ** 2 / whole)).toFixed(1));
  return `${(100 * share).toFixed(1)} (${low} to ${high}, of ${whole})`;
}
