import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/max';
import type { Span } from './masker.ts';
import { cueBefore, isAmount } from './number-cues.ts';

// Any phone number: at least six digits, with at most three characters between digits. Bounded, so
// linear.
const GROUPED_DIGITS =
  /(?<![\p{L}\p{N}@#])(?<!\d[.,:/-])(?:\+ ?|\()?\d(?:[ ()/.\-\u2013\u00a0]{0,3}\d){5,17}(?:\s?(?:x|ext\.?|durchwahl|poste|anexo|toestel)\s?\d{1,5})?(?![\p{L}\p{N}]|[.,:/]\d)/giu;

const COUNTRIES: Readonly<Record<string, readonly CountryCode[]>> = {
  en: ['US', 'GB', 'IE', 'AU'],
  de: ['DE', 'AT', 'CH'],
  fr: ['FR', 'BE', 'CH'],
  es: ['ES', 'MX'],
  nl: ['NL', 'BE'],
  it: ['IT'],
  pl: ['PL'],
  pt: ['PT', 'BR'],
  da: ['DK'],
  sv: ['SE', 'FI'],
};
const OTHER_COUNTRIES: readonly CountryCode[] = ['US', 'GB', 'DE', 'FR'];

// A text with more numbers than this is not a usual answer; every possible phone number in it is
// masked.
const LOOKED_UP = 24;

const FEWEST_DIGITS = 7;
// Six digits need a phone word close by.
const CLOSE = 16;
const MAX_DIGITS = 15;

const DATE = /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/. ]{1,2}\d{1,2}[-/. ]{1,2}(?:\d{4}|\d{2}))$/;
const YEARS = /^(?:19|20)\d\d\s?[-/\u2013 ]\s?(?:19|20)\d\d$/;
const THOUSANDS = /^\d{1,3}(?:[ .\u00a0]\d{3}){1,4}$/;
const WRITTEN_AS_PHONE = /^(?:\+|\(|00\d)/;
const NORTH_AMERICAN = /^(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}$/;
const WITH_TRUNK_ZERO = /^0(?:[^\d]{0,3}\d){8,11}$/;
const LOCAL = /^\d{3,4}[ -]\d{4}$/;
const EXTENSION = /[^\d]*(?:x|ext\.?|durchwahl|poste|anexo|toestel)\s?\d{1,5}$/i;
const PAIRS = /^0?\d{1,2}(?:[ .-]\d{2}){3,4}$/;
const NAMED_AFTER = /^[\s\-\\,(]{0,3}(?:office|fax|mobile|cell|büro|privat|bureau|oficina|kantoor)(?!\p{L})/iu;

/**
 * Finds phone numbers: valid for libphonenumber in the countries of the language, or formatted or
 * announced as one.
 */
export function findPhones(text: string, language: string): Span[] {
  const spans: Span[] = [];
  const countries = COUNTRIES[language] ?? OTHER_COUNTRIES;
  let seen = 0;
  for (const { 0: value, index } of text.matchAll(GROUPED_DIGITS)) {
    const source = ++seen > LOOKED_UP ? 'many-numbers' : phoneRule(text, value, index, countries);
    if (source !== undefined)
      spans.push({ start: index, end: index + value.length, category: 'phone', source, confidence: 0.85 });
  }
  return spans;
}

function phoneRule(text: string, value: string, start: number, countries: readonly CountryCode[]): string | undefined {
  const digits = value.replace(EXTENSION, '').replaceAll(/\D/g, '');
  if (digits.length > MAX_DIGITS || DATE.test(value)) return undefined;
  const cue = cueBefore(text, start);
  if (cue === 'id' || cue === 'card' || cue === 'amount') return undefined;
  if (cue === 'phone' && (digits.length >= FEWEST_DIGITS || cueBefore(text, start, CLOSE) === 'phone')) return 'phone-cue';
  if (NAMED_AFTER.test(text.slice(start + value.length, start + value.length + 12))) return 'phone-form';
  if (digits.length < FEWEST_DIGITS || isOtherNumber(text, value, start)) return undefined;
  if (WRITTEN_AS_PHONE.test(value) || NORTH_AMERICAN.test(value)) return 'phone-form';
  if (WITH_TRUNK_ZERO.test(value) || LOCAL.test(value)) return 'phone-form';
  if (PAIRS.test(value) && !THOUSANDS.test(value)) return 'phone-form';
  return isDiallable(value, digits, countries) ? 'phone-plan' : undefined;
}

function isOtherNumber(text: string, value: string, start: number): boolean {
  if (WRITTEN_AS_PHONE.test(value)) return false;
  if (YEARS.test(value) || isAmount(text, start + value.length)) return true;
  return THOUSANDS.test(value) && !value.startsWith('0');
}

// Unseparated digits are a phone number only with a leading trunk zero.
function isDiallable(value: string, digits: string, countries: readonly CountryCode[]): boolean {
  const grouped = digits.length !== value.length;
  if (!grouped && !value.startsWith('0')) return false;
  return countries.some((country) => parsePhoneNumberFromString(value, country)?.isValid() === true);
}
