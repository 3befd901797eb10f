import { electronicFormatIBAN, getCountrySpecifications, isValidIBAN } from 'ibantools';
import { isIP } from 'node:net';
import { luhnChecksumValidate } from 'stdnum/lib/cjs/util/checksum.js';
import type { Span } from '../masker.ts';
import type { TextLooks } from '../text-looks.ts';
import { cueBefore, isAmount } from '../number-cues.ts';
import { nationalIdOf } from './national-ids.ts';

// A letter or digit, and groups of them separated by spaces, dots, hyphens or slashes. Bounded, and
// each starts at a boundary, so linear.
// Looks ahead, because the words that follow an IBAN may be another one.
const IBAN = /(?<![\p{L}\p{N}])(?=([a-z]{2}\d{2}(?:[ -]?[a-z0-9]){11,30}))/giu;
const IPV4 = /(?<![\p{N}.])\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d)/gu;
const IPV6 = /(?<![\p{L}\p{N}:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\p{L}\p{N}:])/giu;
const NUMBER = /(?<![\p{L}\p{N}+])(?<!\d[.,:])\d(?:[ .\-/\u00a0]?\d){7,18}(?![\p{L}\p{N}]|[.,:]\d)/gu;
const WITH_LETTERS = /(?<![\p{L}\p{N}])(?=[a-z.\- ]{0,9}\d)[a-z\d](?:[ .-]?[a-z\d]){8,20}(?![\p{L}\p{N}])/giu;
const US_SSN = /(?<![\p{N}-])(?!000|666|9)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}(?![\p{N}-]\d?)/gu;

const CARD_LENGTHS = { least: 12, most: 19 };
const CARD_START = /^(?:[3-6]|2[2-7])/;
const ROUND = /0{5}$/;
const FEWEST_DIGITS = 6;
const MIN_BARE = 9;
// NINO, DNI and NIE; SVNR; Corsican NIR; codice fiscale.
const LETTERED_LENGTHS = new Set([9, 12, 15, 16]);

type Add = (start: number, length: number, source: string, confidence: number) => void;

/**
 * Finds numbers that identify a person or their property: bank accounts, cards, network addresses,
 * national ids.
 */
export function findIds(text: string, language: string, looks: TextLooks): Span[] {
  const spans: Span[] = [];
  const add: Add = (start, length, source, confidence) =>
    void spans.push({ start, end: start + length, category: 'id', source, confidence });
  if (looks.longestNumber >= 4) findAddressesInNetwork(text, looks, add);
  if (looks.digits < FEWEST_DIGITS) return spans;
  for (const { 1: value = '', index } of text.matchAll(IBAN)) {
    const length = ibanLength(value);
    if (length > 0) add(index, length, 'iban', 1);
  }
  for (const { 0: value, index } of text.matchAll(US_SSN)) {
    if (value.includes('-') || cueBefore(text, index) === 'id') add(index, value.length, 'us-ssn', 0.9);
  }
  for (const { 0: value, index } of text.matchAll(NUMBER)) {
    const source = numberRule(text, value, index, language);
    if (source !== undefined) add(index, value.length, source, 0.9);
  }
  for (const { 0: value, index } of text.matchAll(WITH_LETTERS)) addLettered(value, index, language, add);
  return spans;
}

function findAddressesInNetwork(text: string, { colons }: TextLooks, add: Add): void {
  for (const { 0: value, index } of text.matchAll(IPV4)) if (isIP(value) === 4) add(index, value.length, 'ip', 0.95);
  if (colons > 1) for (const { 0: value, index } of text.matchAll(IPV6)) if (isIPv6(value)) add(index, value.length, 'ip', 0.95);
}

// The country of an IBAN determines its length, so that following words are excluded.
function ibanLength(value: string): number {
  const chars = getCountrySpecifications()[value.slice(0, 2).toUpperCase()]?.chars ?? 0;
  let length = 0;
  for (let seen = 0; seen < chars; length++) {
    if (length >= value.length) return 0;
    if (/[^ -]/.test(value[length] ?? ' ')) seen++;
  }
  return chars > 0 && isValidIBAN(electronicFormatIBAN(value.slice(0, length)) ?? '') ? length : 0;
}

// `::` and times such as 10:30:00 identify no person.
const isIPv6 = (value: string): boolean => isIP(value) === 6 && value.length > 6;

function numberRule(text: string, value: string, start: number, language: string): string | undefined {
  const digits = value.replaceAll(/\D/g, '');
  const cue = cueBefore(text, start);
  if (isCard(digits, cue === 'card')) return 'card';
  if (isAmount(text, start + value.length) || cue === 'amount') return undefined;
  return digits.length < MIN_BARE || ROUND.test(digits) ? undefined : nationalIdOf(digits, language, cue);
}

function isCard(digits: string, cued: boolean): boolean {
  if (digits.length < CARD_LENGTHS.least || digits.length > CARD_LENGTHS.most) return false;
  return cued || (CARD_START.test(digits) && luhnChecksumValidate(digits));
}

// The value may begin or end with an unrelated word (`DNI 12345678Z y`): the forms determine the
// relevant part.
function addLettered(value: string, start: number, language: string, add: Add): void {
  if (value.replaceAll(/\D/g, '').length < FEWEST_DIGITS || !/\p{L}/u.test(value)) return;
  const parts = [...value.matchAll(/[a-z\d]+/gi)];
  for (let from = 0; from < parts.length; from++) {
    for (let to = parts.length - 1; to >= from; to--) {
      const first = parts[from]?.index ?? 0;
      const end = (parts[to]?.index ?? 0) + (parts[to]?.[0].length ?? 0);
      const compact = value.slice(first, end).replaceAll(/[ .-]/g, '').toUpperCase();
      const national =
        LETTERED_LENGTHS.has(compact.length) && /[A-Z]/.test(compact) ? nationalIdOf(compact, language, undefined) : undefined;
      if (national !== undefined) {
        add(start + first, end - first, national, 0.95);
        return;
      }
    }
  }
}
