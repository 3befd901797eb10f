// 1684 to 2255: what a number holds exactly.
const FIRST_US = Number.MIN_SAFE_INTEGER;
const LAST_US = Number.MAX_SAFE_INTEGER;

/**
 * A normalised instant (normaliseInstant) as microseconds since 1970. Instants before the year 1684
 * or after 2255 all become the first or the last number of that range.
 */
export function microsecondsOf(instant: string): number {
  const secondsMs = Date.parse(`${instant.slice(0, 19)}Z`);
  return Math.min(LAST_US, Math.max(FIRST_US, secondsMs * 1_000 + Number(instant.slice(20, 26))));
}
