const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;
const LONGEST = 64;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
// 0001-01-01T00:00:00Z, and the first moment after the year 9999.
const FIRST_MS = -62_135_596_800_000;
const BEYOND_MS = 253_402_300_800_000;

/**
 * Returns an RFC 3339 date-time as the same instant in UTC, always in the form
 * 2024-01-31T22:00:00.123456Z, so that instants compare as text. Further digits are truncated; a
 * leap second becomes the second after it. Undefined for any other text, and outside the years 0001
 * to 9999 (docs/rules/datetimes.md).
 */
export function normaliseInstant(text: string): string | undefined {
  const match = match3339(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', sign, offsetHours, offsetMinutes] = match;
  const midnightMs = midnightOf(Number(year), Number(month), Number(day));
  const offset = offsetMsOf(sign, Number(offsetHours ?? 0), Number(offsetMinutes ?? 0));
  if (midnightMs === undefined || offset === undefined || Number(hour) > 23 || Number(minute) > 59) return undefined;
  const minuteMs = midnightMs + (Number(hour) * 60 + Number(minute)) * MINUTE_MS - offset;
  if (Number(second) > (isLastOfDay(minuteMs) ? 60 : 59)) return undefined;
  return inUtc(minuteMs + Number(second) * 1_000, fraction.slice(0, 6).padEnd(6, '0'));
}

/** Returns whether the text has the form of an RFC 3339 date-time, whatever its numbers are. */
export const hasInstantForm = (text: string): boolean => match3339(text) !== null;

const match3339 = (text: string): RegExpExecArray | null => (text.length > LONGEST ? null : DATE_TIME.exec(text));

// Years 0 to 99 are not in the last century, unlike in Date.UTC. A day or month that does not exist
// leads to another month.
function midnightOf(year: number, month: number, day: number): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 ? date.getTime() : undefined;
}

function offsetMsOf(sign: string | undefined, hours: number, minutes: number): number | undefined {
  if (hours > 23 || minutes > 59) return undefined;
  return (sign === '-' ? -1 : 1) * (hours * 60 + minutes) * MINUTE_MS;
}

// The only minute in UTC that may have 61 seconds.
function isLastOfDay(minuteMs: number): boolean {
  return (minuteMs + MINUTE_MS) % DAY_MS === 0;
}

function inUtc(secondMs: number, microseconds: string): string | undefined {
  if (secondMs < FIRST_MS || secondMs >= BEYOND_MS) return undefined;
  return `${new Date(secondMs).toISOString().slice(0, 19)}.${microseconds}Z`;
}

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
