import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { EmployeeEdit } from '@survey/proto/intake/v1/intake.ts';
import { employeeReference, label, language, OWN_SUPERVISOR, personName, revision } from './values.ts';

/** An edit of any employee: absent properties stay unchanged, null clears. */
export const employeeEditLine = z
  .strictObject({
    kind: z.literal('employee'),
    revision,
    employee: employeeReference.describe('The employee to edit'),
    email: label.optional().describe('Absent: unchanged'),
    firstname: personName.nullish().describe('Absent: unchanged; null clears'),
    lastname: personName.nullish().describe('Absent: unchanged; null clears'),
    role: label.nullish().describe('Absent: unchanged; null clears'),
    language: language.nullish().describe('Absent: unchanged; null clears'),
    is_deleted: z.boolean().optional().describe('Absent: unchanged'),
    attributes: z
      .array(z.strictObject({ name: label, value: label.nullable() }))
      .optional()
      .describe('A listed attribute gets exactly the listed values, or none for null; others are unchanged'),
    supervisor: employeeReference.nullish().describe('Absent: unchanged; null clears'),
  })
  .refine(({ employee, supervisor }) => !isDeepStrictEqual(employee, supervisor), OWN_SUPERVISOR);

export type EmployeeEditLine = z.output<typeof employeeEditLine>;

const CLEARABLE = ['firstname', 'lastname', 'role', 'language', 'supervisor'] as const;

/** Protobuf has no null: cleared properties are named in `cleared`. */
export function employeeEditFact(line: EmployeeEditLine): EmployeeEdit {
  return { ...line, attributes: line.attributes ?? [], cleared: CLEARABLE.filter((field) => line[field] === null) };
}
