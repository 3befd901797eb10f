import { z } from 'zod';
import type { Employee, EmployeeEdit } from '@survey/proto/intake/v1/intake.ts';
import { applicationEmployeeId, employeeReference, label, language, OWN_SUPERVISOR, personName, revision } from './values.ts';
import { isDeepStrictEqual } from 'node:util';

/**
 * An employee created in the application, from a file, over SFTP or by an HCM connector: never by
 * the import API.
 */
export const employeeLine = z
  .strictObject({
    kind: z.literal('employee'),
    revision,
    id: applicationEmployeeId.describe('Below 1,000,000,000'),
    email: label.describe('Unique in the account without case'),
    firstname: personName.nullish(),
    lastname: personName.nullish(),
    role: label.nullish().describe('Any role is accepted'),
    language: language.nullish(),
    is_deleted: z.boolean().nullish().describe('Absent: false'),
    created_via: z
      .enum(['app', 'file', 'sftp', 'hcm'])
      .describe('Employees of the import API come through `POST /v1/employees/imports` instead'),
    import_id: label.nullish().describe('Two employees may share one if at most one of them came through the import API'),
    attributes: z
      .array(z.strictObject({ name: label, value: label }))
      .nullish()
      .describe('Several entries of one attribute give it several values'),
    supervisor: employeeReference.nullish().describe('Not the employee'),
  })
  .refine(({ id, supervisor }) => supervisor == null || !('id' in supervisor) || supervisor.id !== id, OWN_SUPERVISOR);

export type EmployeeLine = z.output<typeof employeeLine>;

export function employeeFact(line: EmployeeLine): Employee {
  return { ...line, is_deleted: line.is_deleted ?? false, attributes: line.attributes ?? [] };
}

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
