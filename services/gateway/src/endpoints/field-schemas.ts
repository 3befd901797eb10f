import { z } from 'zod';

/** Translated names (docs/rules/lists.md). */
export const translated = z.record(z.string(), z.string()).meta({
  id: 'TranslatedName',
  description: 'A text by ISO 639-1 language code.',
  example: { de: 'Zufriedenheit', en: 'Satisfaction' },
});

/** A datetime as the service returns it: in UTC, with as many digits as its microseconds need. */
export const utcTime = z.string().meta({ format: 'date-time', example: '2024-01-31T22:00:00Z' });

/** An object with an id and a name, listed in the document under `id`. */
export const idAndName = (id: string, description: string) =>
  z
    .object({ id: z.int().describe('Unique within the account.'), name: z.string().describe('A plain string, not translated.') })
    .meta({ id, description });

/**
 * Returns the metadata of a string with an extensible enum (docs/rules/lists.md): known values are
 * listed, others may follow.
 */
export function extensible(values: readonly string[]): { description: string; 'x-extensible-enum': readonly string[] } {
  return { description: `Known values: ${values.join(', ')}. More may come.`, 'x-extensible-enum': values };
}
