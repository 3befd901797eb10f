import { z } from 'zod';
import type { ProblemStatus } from '../http/problem.ts';

/**
 * Description of an endpoint in the OpenAPI document, including the schemas that validate its
 * requests.
 */
export interface Operation {
  // Unique in the document; code generators derive function names from it.
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  // Minor release that added the endpoint; absent: the first release.
  readonly since?: string;
  // Announces the end of the operation (docs/promises.md): days, such as 2027-01-31.
  readonly deprecation?: { readonly since: string; readonly sunset: string };
  readonly query: z.ZodRawShape;
  readonly path?: z.ZodRawShape;
  readonly headers?: z.ZodRawShape;
  readonly body?: { readonly description: string; readonly schema: z.ZodType; readonly example: unknown };
  readonly success: Success;
  // Causes of the problems that are specific to this endpoint.
  readonly problems?: Partial<Readonly<Record<ProblemStatus, string>>>;
}

interface Success {
  readonly status: 200 | 202;
  readonly description: string;
  // Operations that take values of a response, as OpenAPI's runtime expressions.
  readonly links?: Readonly<Record<string, { operationId: string; description: string; parameters: Record<string, string> }>>;
  // In addition to the headers of every response.
  readonly headers?: z.ZodRawShape;
  readonly schema: z.ZodType;
}

/**
 * Returns the schema of one page of a list (docs/rules/lists.md), with its array named after the
 * resource.
 */
export function pageOf(
  resource: string,
  row: z.ZodType,
  { extraProperties = {}, links }: { extraProperties?: z.ZodRawShape; links?: Success['links'] } = {},
): Success {
  const schema = z.object({
    ...extraProperties,
    total_count: z.int().nonnegative().describe('Number of matching records, across all pages.'),
    [resource]: z.array(row).describe('The records of this page.'),
  });
  return { status: 200, description: 'One page of the list.', schema, ...(links && { links }) };
}

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
