// Reference date of the generated organisation. Fixed, so that a seed gives the same lines next
// year.
const TODAY = Date.UTC(2026, 10, 20, 12);
const DAY_MS = 86_400_000;

/**
 * Returns a time in a month of the dataset; the last month is the current one. Months before the
 * first are negative.
 */
export function timeIn(month: number, months: number, day: number, hour = 0): Date {
  const today = new Date(TODAY);
  return new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - (months - 1) + month, day, hour));
}

export function daysAfter(time: Date, days: number): Date {
  return new Date(time.getTime() + Math.round(days * DAY_MS));
}

export function isPast(time: Date): boolean {
  return time.getTime() <= TODAY;
}

/** Returns a time between two past times, so that no event is in the future. */
export function between(from: Date, to: Date, share: number): Date {
  const last = Math.min(to.getTime(), TODAY);
  return new Date(Math.round(from.getTime() + Math.max(0, last - from.getTime()) * share));
}

/** Formats a time as a dataset has it: to the second. */
export function formatTime(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}
