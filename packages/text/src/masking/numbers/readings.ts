import { electronicFormatIBAN, getCountrySpecifications, isValidIBAN } from 'ibantools';
import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/max';
import { luhnChecksumValidate } from 'stdnum/lib/cjs/util/checksum.js';
import { isDistinctive, nationalIdOf } from '../ids/national-ids.ts';
import type { NumberCue } from '../number-cues.ts';

/** What a part of a text may be. Certainty is 0 … 1. */
export interface Reading {
  readonly category: 'id' | 'phone';
  // Rule that found it.
  readonly source: string;
  readonly certainty: number;
}

/** A part of a text that begins and ends with letters or digits. */
interface Candidate {
  // With a sign before it, such as the plus of a country code.
  readonly value: string;
  // Letters and digits only, in capitals.
  readonly compact: string;
  readonly language: string;
  // Kind of number that the words before it announce; undefined for one with letters.
  readonly cue: NumberCue | undefined;
  // Whether a phone's word is so close that six digits are one.
  readonly isPhoneClose: boolean;
}

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
  fi: ['FI'],
  no: ['NO'],
  cs: ['CZ', 'SK'],
  el: ['GR'],
  hu: ['HU'],
  ro: ['RO'],
  tr: ['TR'],
  ru: ['RU'],
  uk: ['UA'],
  ja: ['JP'],
  ko: ['KR'],
  zh: ['CN', 'TW', 'HK'],
};
// Countries where a number begins with no zero that is dialled only at home.
const WITHOUT_TRUNK: ReadonlySet<CountryCode> = new Set([
  'ES',
  'MX',
  'IT',
  'PL',
  'PT',
  'BR',
  'DK',
  'NO',
  'CZ',
  'GR',
  'RU',
  'CN',
  'HK',
]);
const OTHER_COUNTRIES: readonly CountryCode[] = ['US', 'GB', 'DE', 'FR'];

const INTERNATIONAL = /^(?:\+|00[1-9])/;
const NORTH_AMERICAN =
  /^(?:1[-. ])?(?:(?:\([2-9]\d\d\) ?|[2-9]\d\d[-. /])[1-9]\d\d-|\(?[2-9]\d\d(?:\) ?| )[1-9]\d\d |[2-9]\d\d\.[1-9]\d\d\.)\d{4}$/;
const TRUNK_ZERO = /^\(?0[1-9]/;
const LOCAL = /^\d{3,4}[ -]\d{4}$/;
const PAIRS = /^0?\d{1,2}(?:[ .-]\d{2}){3,4}$/;
const THOUSANDS = /^\d{1,3}(?:[ .]\d{3})+$/;
// A code with a slash, and then one sign throughout.
const SIGNS = /^\/?(?:-*|–*|\.*|\/*)$/;
const DATE_PART = /(?<!\d)(?:\d{1,2}[-./] ?(?:19|20)\d\d|(?:19|20)\d\d[-./]\d{1,2})(?!\d)/;
const IN_BRACKETS = /^\(\d/;

const IBAN_COUNTRIES = getCountrySpecifications();
const US_SSN = /^(?!000|666|9)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}$/;
const CARD = /^(?:[3-6]|2[2-7])\d{11,18}$/;
const CARD_AS_PRINTED = /^(?:\d{16}|3[47]\d{13}|(?:\d{4}[ .-]){3}\d{4}|3[47]\d\d[ -]\d{6}[ -]\d{5})$/;
// As a German, a Dutch, a Swiss and a Brazilian office write their number.
const OFFICIAL = /^(?:756\.\d{4}\.\d{4}\.\d{2}|\d{2} \d{3} \d{3} \d{3}|\d{4}\.\d{2}\.\d{3}|\d{3}\.\d{3}\.\d{3}-\d{2})$/;
const ROUND = /0{5}$/;
const MAX_SIGNS_BETWEEN = /[^\p{L}\p{N}]{2}/u;

/** Returns the most certain reading of a candidate as a personal number. */
export function readingOf(candidate: Candidate): Reading | undefined {
  const { compact, value } = candidate;
  if (value.includes(')') && !value.includes('(')) return undefined;
  if (/[A-Z]/.test(compact)) return letteredReading(candidate);
  const readings = [
    phoneReading(candidate),
    ...(compact.length < 9 || MAX_SIGNS_BETWEEN.test(value) || /[+()]/.test(value) ? [] : idReadings(candidate)),
  ];
  return readings.reduce((best, one) => ((one?.certainty ?? 0) > (best?.certainty ?? 0) ? one : best), undefined);
}

const id = (source: string, certainty: number): Reading => ({ category: 'id', source, certainty });

function letteredReading({ compact, language, value }: Candidate): Reading | undefined {
  // A date and the word after it: `01-06-2025 t/m`.
  if (MAX_SIGNS_BETWEEN.test(value) || DATE_PART.test(value)) return undefined;
  if (isIban(compact)) return id('iban', 1);
  const national = nationalIdOf(compact, language, undefined);
  return national === undefined ? undefined : id(national, 0.97);
}

function isIban(compact: string): boolean {
  if (!/^[A-Z]{2}\d\d/.test(compact)) return false;
  return IBAN_COUNTRIES[compact.slice(0, 2)]?.chars === compact.length && isValidIBAN(electronicFormatIBAN(compact) ?? '');
}

function idReadings({ value, compact, language, cue }: Candidate): (Reading | undefined)[] {
  const isCard = CARD.test(compact) && luhnChecksumValidate(compact);
  const national =
    ROUND.test(compact) || cue === 'amount' ? undefined : nationalIdOf(compact, language, OFFICIAL.test(value) ? undefined : cue);
  return [
    isCard ? id('card', CARD_AS_PRINTED.test(value) ? 0.96 : 0.6) : undefined,
    cue === 'card' && compact.length >= 12 && compact.length <= 19 ? id('card', 0.85) : undefined,
    US_SSN.test(value) && (value.includes('-') || cue === 'id') ? id('us-ssn', 0.95) : undefined,
    national === undefined
      ? undefined
      : id(national, cue === 'id' || isDistinctive(national) || OFFICIAL.test(value) ? 0.91 : 0.84),
  ];
}

const phone = (source: string, certainty: number): Reading => ({ category: 'phone', source, certainty });

function phoneReading(candidate: Candidate): Reading | undefined {
  const { value, compact, cue, isPhoneClose } = candidate;
  if (compact.length > 15 || compact.length < (isPhoneClose ? 6 : 7)) return undefined;
  const reading = formReading(candidate) ?? planReading(candidate);
  if (cue === 'phone') {
    // Of another country than the language's.
    const isForeign = compact.length >= 9 && isWrittenAsOne(value);
    return phone(
      'phone-cue',
      (reading === undefined && !isForeign) || compact.length < 7 ? 0.7 : Math.max(0.9, reading?.certainty ?? 0),
    );
  }
  // Where the words announce another number, only what cannot be mistaken is a phone's.
  const least = cue === 'amount' ? 0.9 : cue === 'id' || cue === 'card' ? 0.75 : 0;
  return reading !== undefined && reading.certainty >= least ? reading : undefined;
}

// A number in the form of a phone number is read as one even if no operator has assigned it.
function formReading({ value, compact, language }: Candidate): Reading | undefined {
  if (INTERNATIONAL.test(value)) {
    const parsed = parsePhoneNumberFromString(value.replace(/^00/, '+'));
    return phone('phone-form', parsed?.isValid() === true ? 0.97 : parsed?.isPossible() === true ? 0.9 : 0.6);
  }
  if (NORTH_AMERICAN.test(value)) return phone('phone-form', value.startsWith('(') ? 0.96 : 0.93);
  if (TRUNK_ZERO.test(value) && compact.length >= 9 && compact.length <= 12 && isWrittenAsOne(value))
    return phone('phone-form', validIn(language, value) === undefined ? 0.78 : 0.95);
  return undefined;
}

// Digits without a separator are a phone only when they are a mobile one of the language's country.
function planReading({ value, compact, language }: Candidate): Reading | undefined {
  const isGrouped = compact.length !== value.length;
  if (isGrouped || compact.length >= 9) {
    const type = validIn(language, value, (country) => WITHOUT_TRUNK.has(country));
    const isMobile = type === 'MOBILE' && compact.length >= 9;
    if (isMobile) return phone('phone-plan', isGrouped ? 0.84 : 0.8);
    // Less certain than a count with what it counts: `912 345 678` may be either.
    if (type !== undefined && isGrouped && !value.includes('/') && isWrittenAsOne(value))
      return phone('phone-plan', THOUSANDS.test(value) ? 0.7 : 0.8);
  }
  if (LOCAL.test(value) && !isRange(value)) return phone('phone-form', 0.6);
  return PAIRS.test(value) || IN_BRACKETS.test(value) ? phone('phone-form', 0.65) : undefined;
}

function validIn(language: string, value: string, isAsked: (country: CountryCode) => boolean = () => true): string | undefined {
  for (const country of (COUNTRIES[language] ?? OTHER_COUNTRIES).filter(isAsked)) {
    const parsed = parsePhoneNumberFromString(value, country);
    if (parsed?.isValid() === true) return parsed.getType() ?? 'UNKNOWN';
  }
  return undefined;
}

// Rooms or departments from 1001 to 1005.
function isRange(value: string): boolean {
  const [, first, last] = /^(\d{4})-(\d{4})$/.exec(value) ?? [];
  const steps = Number(last) - Number(first);
  return steps > 0 && steps < 1_000;
}

const isWrittenAsOne = (value: string): boolean => SIGNS.test(value.replaceAll(/[\d ()+\n]/g, '')) && !DATE_PART.test(value);
