import { LRUCache } from 'lru-cache';
import type { Language } from '../texts/languages.ts';

export interface Format {
  number(value: number): string;
  /** Formats a share of 1 with at most two decimals. */
  percent(share: number): string;
  /** Formats a decimal percentage, such as 12.5, with all of its decimals. */
  readonly percentText: (decimal: string) => string;
  list(items: readonly string[]): string;
  /** Formats a time of the reader, to the minute, with the zone. */
  time(at: string): string;
  /** Formats a time in UTC, as logs and the API have it. */
  utc(at: string): string;
  /** Formats a time of day of the reader, with the zone. */
  clock(at: string): string;
  /** Formats the reader's day of a time, or a day that has no time. */
  day(at: string): string;
  /** Formats a day that has no time. */
  shortDay(day: string): string;
  /** Counts the reader's days: two times have the same number if they are of the same day. */
  dayNumber(at: string): number;
  /** Formats milliseconds as seconds. */
  duration(ms: number): string;
  readonly languageName: (code: string) => string;
}

export const DAY_MS = 86_400_000;
const DAY_LENGTH = '2026-01-01'.length;
const formats = new LRUCache<string, Format>({ max: 200 });

/** Creating one takes a millisecond, so they are kept. Unknown zones are read as UTC. */
export function formatOf(language: Language, zone = 'UTC'): Format {
  const key = `${language} ${zone}`;
  const format = formats.get(key) ?? createFormat(language, isZone(zone) ? zone : 'UTC');
  formats.set(key, format);
  return format;
}

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

function createFormat(language: Language, timeZone: string): Format {
  const locale = language === 'en' ? 'en-GB' : language;
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 4 });
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 });
  const exactPercent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 12 });
  const list = new Intl.ListFormat(locale);
  const seconds = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const date = { day: 'numeric', month: 'short', year: 'numeric' } as const;
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' } as const;
  const of = (options: Intl.DateTimeFormatOptions, zone: string) => {
    const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: zone });
    return (at: string): string => format.format(new Date(at));
  };
  const [day, calendarDay] = [of(date, timeZone), of(date, 'UTC')];
  const isoDay = new Intl.DateTimeFormat('sv-SE', { timeZone });
  const names = new Intl.DisplayNames(locale, { type: 'language' });
  return {
    number: (value) => number.format(value),
    percent: (share) => percent.format(share),
    percentText: (decimal) => exactPercent.format(Number(`${decimal}e-2`)),
    list: (items) => list.format(items),
    time: of({ ...date, ...clock }, timeZone),
    utc: of({ ...date, ...clock }, 'UTC'),
    clock: of(clock, timeZone),
    day: (at) => (at.length === DAY_LENGTH ? calendarDay(at) : day(at)),
    shortDay: of({ day: 'numeric', month: 'short' }, 'UTC'),
    dayNumber: (at) => Date.parse(isoDay.format(new Date(at))) / DAY_MS,
    duration: (ms) => `${seconds.format(Math.max(0, ms / 1_000))} s`,
    languageName: (code) => names.of(code) ?? code,
  };
}
