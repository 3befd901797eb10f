import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { EmployeeEdit } from '@survey/rpc/gen/survey/intake/v1/intake.ts';
import { employeeReference, label, language, revision, text, OWN_SUPERVISOR } from '../values.ts';

/** An edit of any employee: absent properties stay unchanged, null clears. */
export const employeeEditLine = z
  .strictObject({
    kind: z.literal('employee'),
    revision,
    employee: employeeReference,
    email: label.optional(),
    firstname: text.nullish(),
    lastname: text.nullish(),
    role: label.nullish(),
    language: language.nullish(),
    is_deleted: z.boolean().optional(),
    attributes: z.array(z.strictObject({ name: label, value: label.nullable() })).optional(),
    supervisor: employeeReference.nullish(),
  })
  .refine(({ employee, supervisor }) => !isDeepStrictEqual(employee, supervisor), OWN_SUPERVISOR);

export type EmployeeEditLine = z.output<typeof employeeEditLine>;

const CLEARABLE = ['firstname', 'lastname', 'role', 'language', 'supervisor'] as const;

/** Protobuf has no null: cleared properties are named in `cleared`. */
export function employeeEditFact(line: EmployeeEditLine): EmployeeEdit {
  return { ...line, attributes: line.attributes ?? [], cleared: CLEARABLE.filter((field) => line[field] === null) };
}
