import type { Language } from '../texts/languages.ts';

export interface Format {
  number(value: number): string;
  /** Formats a share of 1 with at most two decimals. */
  percent(share: number): string;
  /** Formats a decimal percentage, such as 12.5. */
  percentText(decimal: string): string;
  /** Formats a time in UTC, to the minute. */
  time(at: string): string;
  /** Formats a time of day in UTC. */
  clock(at: string): string;
  day(at: string): string;
  shortDay(at: string): string;
  /** Formats milliseconds as seconds. */
  duration(ms: number): string;
  languageName(code: string): string;
}

export function createFormat(language: Language): Format {
  const locale = language === 'en' ? 'en-GB' : language;
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 4 });
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 });
  const seconds = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const date = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const;
  const clock = { hour: '2-digit', minute: '2-digit', hour12: false } as const;
  const time = new Intl.DateTimeFormat(locale, { ...date, ...clock });
  const timeOfDay = new Intl.DateTimeFormat(locale, { ...clock, timeZone: 'UTC' });
  const day = new Intl.DateTimeFormat(locale, date);
  const shortDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const names = new Intl.DisplayNames(locale, { type: 'language' });
  return {
    number: (value) => number.format(value),
    percent: (share) => percent.format(share),
    percentText: (decimal) => percent.format(Number(decimal) / 100),
    time: (at) => `${time.format(new Date(at))} UTC`,
    clock: (at) => `${timeOfDay.format(new Date(at))} UTC`,
    day: (at) => day.format(new Date(at)),
    shortDay: (at) => shortDay.format(new Date(at)),
    duration: (ms) => `${seconds.format(Math.max(0, ms / 1_000))} s`,
    languageName: (code) => names.of(code) ?? code,
  };
}
