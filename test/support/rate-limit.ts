import { parseList } from 'structured-headers';
import { z } from 'zod';
import type { Answer } from './api.ts';

const only = (parameters: z.ZodObject) =>
  z.tuple([z.tuple([z.literal('default'), z.map(z.string(), z.unknown()).transform(Object.fromEntries).pipe(parameters)])]);
const policy = only(z.strictObject({ q: z.int(), w: z.int() }));
const remaining = only(z.strictObject({ r: z.int(), t: z.int() }));

/** Reads the structured fields of draft-ietf-httpapi-ratelimit-headers-11. */
export function rateLimitOf({ headers }: Answer): Record<string, unknown> {
  const [[, limit]] = policy.parse(parseList(headers.get('ratelimit-policy') ?? ''));
  const [[, left]] = remaining.parse(parseList(headers.get('ratelimit') ?? ''));
  return { ...limit, ...left };
}
