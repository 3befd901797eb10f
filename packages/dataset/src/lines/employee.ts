import { z } from 'zod';
import type { Employee } from '@survey/rpc/gen/survey/intake/v1/intake.ts';
import { applicationEmployeeId, employeeReference, label, language, revision, text, OWN_SUPERVISOR } from '../values.ts';

/**
 * An employee created in the application, from a file, over SFTP or by an HCM connector: never by
 * the import API.
 */
export const employeeLine = z
  .strictObject({
    kind: z.literal('employee'),
    revision,
    id: applicationEmployeeId,
    email: label,
    firstname: text.nullish(),
    lastname: text.nullish(),
    role: label.nullish(),
    language: language.nullish(),
    is_deleted: z.boolean().nullish(),
    created_via: z.enum(['app', 'file', 'sftp', 'hcm']),
    import_id: label.nullish(),
    // An attribute with several values has one entry per value.
    attributes: z.array(z.strictObject({ name: label, value: label })).nullish(),
    supervisor: employeeReference.nullish(),
  })
  .refine(({ id, supervisor }) => supervisor == null || !('id' in supervisor) || supervisor.id !== id, OWN_SUPERVISOR);

export type EmployeeLine = z.output<typeof employeeLine>;

export function employeeFact(line: EmployeeLine): Employee {
  return { ...line, is_deleted: line.is_deleted ?? false, attributes: line.attributes ?? [] };
}
