import { hasInstantForm, normaliseInstant } from '@survey/formats/instant.ts';
import { z } from 'zod';

const isInteger = (text: string): boolean => /^-?[0-9]+$/.test(text) && Number.isSafeInteger(Number(text));

/** An id in decimal digits. An unknown id is valid and matches nothing (rule LISTS-FILTERS-1). */
export const integerId = z
  .string()
  .refine(isInteger, 'must be an integer in decimal digits, of at most 2^53 - 1')
  .transform(Number)
  .meta({ type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });

const IDS = /^[0-9]+(,[0-9]+)*$/;
const isListOfIds = (text: string): boolean => IDS.test(text) && text.split(',').every((id) => Number.isSafeInteger(Number(id)));

/**
 * A set of ids in decimal digits, limited by the length of a URL. An empty set never means all
 * (rule ERRORS-QUERY-2).
 */
export const idList = (absent?: string) =>
  z
    .string(absent)
    .refine(isListOfIds, 'must be integers in decimal digits, separated by commas, at least one')
    .transform((text) => text.split(',').map(Number))
    .meta({ type: 'string', pattern: IDS.source });

/** An RFC 3339 datetime, converted to UTC (docs/rules/datetimes.md). */
export const dateTime = z
  .string()
  .transform((text, context) => {
    const instant = normaliseInstant(text);
    if (instant !== undefined) return instant;
    context.addIssue(
      hasInstantForm(text)
        ? 'must be an existing date and time from 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z'
        : 'must be an RFC 3339 date-time with an offset, such as 2024-01-31T22:00:00Z; a plus sign is sent as %2B',
    );
    return z.NEVER;
  })
  .meta({ type: 'string', format: 'date-time' });

/** Exactly true or false (rule LISTS-BOOLEANS-1). */
export const flag = z
  .enum(['true', 'false'], 'must be true or false')
  .transform((text) => text === 'true')
  .meta({ type: 'boolean' });

// Only ASCII digits: no sign, no exponent, no fraction, no space (docs/rules/lists.md).
const wholeNumber = (max: number) =>
  z
    .string()
    .refine((text) => /^[0-9]+$/.test(text) && Number(text) <= max, `must be a whole number from 0 to ${max}, in decimal digits`)
    .transform(Number)
    .meta({ type: 'integer', minimum: 0, maximum: max });

/** Parameters of every list: `limit` and `offset` (docs/rules/lists.md). */
export const paging = {
  limit: wholeNumber(1_000).default(100).describe('Maximum number of records to return. Above the maximum: 400.'),
  offset: wholeNumber(Number.MAX_SAFE_INTEGER).default(0).describe('Number of records skipped.'),
};
