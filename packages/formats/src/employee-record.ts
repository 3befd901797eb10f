import { z } from 'zod';

// `error` texts name the expected type; read-employee.ts of import-reconciler makes the sentence.
// meta() and describe() are for customers, in the gateway's OpenAPI document; read-employee.ts
// checks the lengths.
const required = (description: string, maxLength = 255) => z.string({ error: 'a string' }).meta({ description, maxLength });
const optional = (description: string) =>
  z.string({ error: 'a string or null' }).nullable().meta({ description }).exactOptional();

const objectWithName = (description: string) =>
  z.strictObject({ name: required(description) }, { error: 'an object with the property name' });

const grant = z
  .strictObject(
    {
      attribute: objectWithName('Name of an attribute that exists.').describe('The attribute whose value is granted.'),
      value: objectWithName('Name of one of its values.').describe('The value whose employees the grant covers.'),
    },
    { error: 'an object with the properties attribute and value' },
  )
  .meta({
    id: 'Grant',
    description:
      'Grants on several values of the same attribute widen the scope (union), grants on different attributes narrow it (intersection). One that names an attribute or value that does not exist is dropped.',
  });

// Bounded: import-reconciler checks 1,000 items of a list at a time (read-employee.ts).
const permissions = z
  .strictObject(
    {
      all_data: z
        .boolean({ error: 'a boolean' })
        .meta({ description: 'When true, grants is ignored.', default: false })
        .exactOptional(),
      grants: z.array(grant, { error: 'an array' }).describe('Empty with all_data false: revokes every grant.').exactOptional(),
    },
    { error: 'an object or null' },
  )
  .meta({ id: 'Permissions', description: 'Whose data the employee may see.' });

const attribute = z
  .strictObject(
    {
      name: required('Matched loosely: case and surrounding whitespace do not count. Created when it does not exist.'),
      value: z
        .strictObject(
          { name: required('Created when it does not exist.') },
          { error: 'an object with the property name, or null' },
        )
        .nullable()
        .describe('null clears the attribute.'),
    },
    { error: 'an object with the properties name and value' },
  )
  .meta({
    id: 'AttributeAssignment',
    description:
      'The attributes Age Category and Seniority take the birth year and the joining year, as exactly four digits, and are stored as a bucket.',
  });

/**
 * Shape of one element of `employees` (docs/rules/import-request.md). Values are checked elsewhere:
 * an empty import_id cancels the import (rule IMPORT-LIFECYCLE-CANCEL-1), an empty email skips the
 * employee (rule IMPORT-EMAILS-8).
 *
 * Absent and null differ: absent means unchanged, null means cleared. Only `attributes` may not be
 * null.
 */
export const employeeRecord = z
  .strictObject(
    {
      import_id: required(
        'Stable identifier from the source HR system; unique within the request; must not change between imports.',
      ),
      email: required('Unique within the account.', 320),
      firstname: required('The first name.'),
      lastname: required('The last name.'),
      language: optional('ISO 639-1, two letters. null: the default language of the integration.'),
      reports_to_id: optional('import_id of the supervisor, who may come later in the list. null removes the supervisor.'),
      role: optional(
        'Admin, Manager, Analyst, Report viewer or Respondee; with any other value the employee is skipped. null resets to Respondee and clears data-access grants.',
      ),
      permissions: permissions.nullable().describe('null revokes every grant. Ignored for Respondee.').exactOptional(),
      attributes: z
        .array(attribute, { error: 'an array' })
        .describe('An attribute that is not listed is unchanged. May be empty, but not null.')
        .exactOptional(),
    },
    { error: 'an object' },
  )
  .meta({
    id: 'EmployeeRecord',
    description:
      'One employee. A property that is absent is unchanged; null clears it or resets it to its default; a value overwrites it.',
  });

export type EmployeeRecord = z.infer<typeof employeeRecord>;
