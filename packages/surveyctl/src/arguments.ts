import { InvalidArgumentError, Option } from 'commander';

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

export const accountOption = (): Option =>
  new Option('--account <id>', 'the account, see `account list`').argParser(parsePositive).makeOptionMandatory();

/** Splits text at commas and trims white space; returns none for an empty text. */
export function parseWords(text: string): string[] {
  if (text.trim() === '') return [];
  const words = text.split(',').map((word) => word.trim());
  if (words.includes('')) throw new InvalidArgumentError('It must not contain an empty word.');
  return words;
}
