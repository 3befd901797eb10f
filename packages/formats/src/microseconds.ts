// 1684 to 2255: the range that a number represents exactly.
const FIRST_US = Number.MIN_SAFE_INTEGER;
const LAST_US = Number.MAX_SAFE_INTEGER;

/**
 * Returns a normalised instant (normaliseInstant) as microseconds since 1970. Instants before 1684
 * or after 2255 become the first or last number of that range.
 */
export function microsecondsOf(instant: string): number {
  const secondsMs = Date.parse(`${instant.slice(0, 19)}Z`);
  return Math.min(LAST_US, Math.max(FIRST_US, secondsMs * 1_000 + Number(instant.slice(20, 26))));
}

/** Returns microseconds since 1970 as a normalised instant: the inverse of microsecondsOf. */
export function instantOf(us: number): string {
  const ms = Math.floor(us / 1_000);
  return `${new Date(ms).toISOString().slice(0, -1)}${String(us - ms * 1_000).padStart(3, '0')}Z`;
}
