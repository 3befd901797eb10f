import type { EmployeeReference } from '@survey/rpc/gen/survey/intake/v1/intake.ts';
import { normaliseInstant } from '@survey/rfc3339/instant.ts';

/**
 * Reason why a fact can never be applied. Contains the field and the rule but never the value,
 * because it is stored with the dead letter.
 */
export class InvalidFactError extends Error {
  override readonly name = 'InvalidFactError';
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const LANGUAGE = /^[a-z]{2}$/;

export function positiveId(value: number, field: string): number {
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidFactError(`${field} must be an integer from 1 to 2^53 - 1`);
  return value;
}

export const optionalId = (value: number | null | undefined, field: string): number | null =>
  value == null ? null : positiveId(value, field);

/**
 * Reads a UUID of any version and variant, and returns it in lower case, its only stored spelling.
 */
export function uuid(value: string, field: string): string {
  if (!UUID.test(value)) throw new InvalidFactError(`${field} must be a UUID`);
  return value.toLowerCase();
}

/** Reads an RFC 3339 datetime, and returns it in UTC to the microsecond. */
export function instant(value: string, field: string): string {
  const normal = normaliseInstant(value);
  if (normal === undefined)
    throw new InvalidFactError(`${field} must be an RFC 3339 date-time with an offset, in the years 0001 to 9999`);
  return normal;
}

export const optionalInstant = (value: string | null | undefined, field: string): string | null =>
  value == null ? null : instant(value, field);

/** Accepts any text that PostgreSQL can store, including the empty one. */
export function text(value: string, field: string): string {
  if (value.includes('\0')) throw new InvalidFactError(`${field} must not contain the character U+0000`);
  return value;
}

export const optionalText = (value: string | null | undefined, field: string): string | null =>
  value == null ? null : text(value, field);

export function nonEmpty(value: string, field: string): string {
  if (value === '') throw new InvalidFactError(`${field} must not be empty`);
  return text(value, field);
}

/** Reads a name by language (docs/rules/lists.md). */
export function translated(names: Readonly<Record<string, string>>, field: string): Record<string, string> {
  for (const [language, name] of Object.entries(names)) {
    if (!LANGUAGE.test(language)) throw new InvalidFactError(`${field} must be keyed by two-letter language codes`);
    text(name, field);
  }
  return { ...names };
}

/** Reads a value of a closed list. */
export function oneOf(allowed: readonly string[], value: string, field: string): string {
  if (!allowed.includes(value)) throw new InvalidFactError(`${field} must be one of ${allowed.join(', ')}`);
  return value;
}

export type EmployeeKey = { readonly id: number; readonly importId: null } | { readonly id: null; readonly importId: string };

export function employeeKey({ id, import_id: importId }: EmployeeReference, field: string): EmployeeKey {
  if (id != null) return { id: positiveId(id, `${field}.id`), importId: null };
  if (importId != null) return { id: null, importId: nonEmpty(importId, `${field}.import_id`) };
  throw new InvalidFactError(`${field} must name an employee by id or import_id`);
}

/** Reads a reference to an employee; a missing one stands for no employee. */
export function optionalEmployeeKey(
  reference: EmployeeReference | null | undefined,
  field: string,
): EmployeeKey | { readonly id: null; readonly importId: null } {
  return reference == null ? { id: null, importId: null } : employeeKey(reference, field);
}
