import { normaliseInstant } from '@survey/formats/instant.ts';
import { InvalidArgumentError } from 'commander';
import { required } from './command.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Parses a whole number from 1, in plain digits. */
export function parsePositive(text: string): number {
  const number = Number(text);
  if (!/^[1-9][0-9]*$/.test(text) || !Number.isSafeInteger(number))
    throw new InvalidArgumentError('It must be a whole number of at least 1.');
  return number;
}

export function parseUuid(text: string): string {
  if (!UUID.test(text)) throw new InvalidArgumentError('It must be a UUID.');
  return text.toLowerCase();
}

const midnightOf = (day: string): string | undefined => normaliseInstant(`${day}T00:00:00Z`);

export function parseDay(text: string): string {
  if (midnightOf(text) === undefined) throw new InvalidArgumentError('It must be a date, such as 2026-11-01.');
  return text;
}

/** Parses a date in UTC or a time in RFC 3339. */
export function parseTime(text: string): string {
  const time = midnightOf(text) ?? normaliseInstant(text);
  if (time === undefined)
    throw new InvalidArgumentError('It must be a date or time, such as 2026-11-01 or 2026-11-01T08:00:00Z.');
  return time;
}

export const ACCOUNT = required('--account <id>', 'the account, see `account list`', parsePositive);

/** Parses the reason of an operator, with the limits of the console's forms. */
export function parseReason(text: string): string {
  const reason = text.trim();
  if (reason.length < 3 || reason.length > 200) throw new InvalidArgumentError('It must have 3 to 200 characters.');
  return reason;
}

export function parseGuard(text: string): string {
  if (text !== 'strict' && text !== 'off') throw new InvalidArgumentError('It must be strict or off.');
  return text;
}

/** Splits text at commas and trims white space; returns none for an empty text. */
export function parseWords(text: string): string[] {
  if (text.trim() === '') return [];
  const words = text.split(',').map((word) => word.trim());
  if (words.includes('')) throw new InvalidArgumentError('It must not contain an empty word.');
  return words;
}
