import { z } from 'zod';

// Only ASCII digits: no sign, no exponent, no fraction, no space (docs/rules/lists.md).
const wholeNumber = (most: number) =>
  z
    .string()
    .refine(
      (text) => /^[0-9]+$/.test(text) && Number(text) <= most,
      `must be a whole number from 0 to ${most}, in decimal digits`,
    )
    .transform(Number)
    .meta({ type: 'integer', minimum: 0, maximum: most });

/** Parameters of every list: `limit` and `offset` (docs/rules/lists.md). */
export const paging = {
  limit: wholeNumber(1_000).default(100).describe('Maximum number of records to return. Above the maximum: 400.'),
  offset: wholeNumber(Number.MAX_SAFE_INTEGER).default(0).describe('Number of records skipped.'),
};
