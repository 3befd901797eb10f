import ISO6391 from 'iso-639-1';
import { normaliseInstant } from '@survey/formats/instant.ts';
import { isBlank } from '@survey/formats/is-blank.ts';
import { z } from 'zod';
import type { Fault } from './reasons.ts';

// First id of employees created by the import API in an account.
const FIRST_IMPORTED_ID = 1_000_000_000;
export const MAX_NAME: number = 255;

/** Text that both PostgreSQL and protobuf can store. */
export const text = z.string().refine(isStorable, 'not_storable' satisfies Fault);

/** Characters of an answer (rule TEXTS-FIELDS-3). */
const MAX_ANSWER = 100_000;

export const answerText = text
  .refine(
    // A character outside the basic plane has two code units.
    (answer) => answer.length <= MAX_ANSWER || (answer.length <= 2 * MAX_ANSWER && Array.from(answer).length <= MAX_ANSWER),
    `too_long:${MAX_ANSWER}` satisfies Fault,
  )
  .meta({ maxLength: MAX_ANSWER });

/** A unique name of an attribute, a topic or a role. */
export const label = text.max(MAX_NAME).refine((name) => !isBlank(name), 'blank' satisfies Fault);

/** A name of a person. */
export const personName = text.max(MAX_NAME);

export const id = z.int().positive().meta({ id: 'id' });
export const applicationEmployeeId = z.int().positive().lt(FIRST_IMPORTED_ID);

/** A UUID in lower case, its only stored spelling. */
export const uuid = z.guid().toLowerCase();

/** An instant in UTC, to the microsecond. */
export const dateTime = z
  .string()
  .overwrite((value) => normaliseInstant(value) ?? '')
  .refine((instant) => instant !== '', { error: 'not_date_time' satisfies Fault, abort: true })
  .meta({ id: 'date_time', format: 'date-time' });

export const language = z.string().refine((code) => ISO6391.validate(code), 'not_language' satisfies Fault);

export const translated = z
  .record(language, text)
  .meta({ id: 'translated', description: 'By ISO 639-1 language code.', propertyNames: { pattern: '^[a-z]{2}$' } });

export const timezone = text.refine(isTimezone, 'not_timezone' satisfies Fault);

export const employeeReference = z
  .union([z.strictObject({ id }), z.strictObject({ import_id: label })], {
    error: 'not_reference' satisfies Fault,
  })
  .meta({ id: 'employee_reference', description: 'By the id of this service, or by the import_id of the import API.' });

export type EmployeeReference = z.output<typeof employeeReference>;

export const OWN_SUPERVISOR = { path: ['supervisor'], error: 'is_employee' } satisfies { path: string[]; error: Fault };

/** Optional on any line: of two lines about one object the higher revision wins. */
export const revision = z.int().default(0).meta({ id: 'revision' });

function isStorable(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed();
}

const knownTimezones = new Set<string>();

function isTimezone(name: string): boolean {
  if (knownTimezones.has(name)) return true;
  // Intl also accepts offsets such as +02:00, which ignore daylight saving time.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name }).format();
  } catch {
    return false;
  }
  knownTimezones.add(name);
  return true;
}
