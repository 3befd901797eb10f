import { z } from 'zod';

// The `error` texts say what is expected; read-employee.ts makes the sentence.
const required = z.string({ error: 'a string' });
const optional = z.string({ error: 'a string or null' }).nullable().exactOptional();

const named = z.strictObject({ name: required }, { error: 'an object with the property name' });

const grant = z.strictObject({ attribute: named, value: named }, { error: 'an object with the properties attribute and value' });

const permissions = z.strictObject(
  {
    all_data: z.boolean({ error: 'a boolean' }).exactOptional(),
    grants: z.array(grant, { error: 'an array' }).exactOptional(),
  },
  { error: 'an object or null' },
);

const attribute = z.strictObject(
  {
    name: required,
    value: z.strictObject({ name: required }, { error: 'an object with the property name, or null' }).nullable(),
  },
  { error: 'an object with the properties name and value' },
);

/**
 * The shape of one element of `employees` (interface.md, "Employee input record"; rulings Z1, Z2 and V02–V25). What a value says is
 * judged elsewhere: an empty import_id cancels the import (V13), an empty email skips the employee (V45).
 *
 * An absent property and a null one stay apart, since absent means unchanged and null means cleared. `attributes` alone may not be null.
 */
export const employeeRecord = z.strictObject(
  {
    import_id: required,
    email: required,
    firstname: required,
    lastname: required,
    language: optional,
    reports_to_id: optional,
    role: optional,
    permissions: permissions.nullable().exactOptional(),
    attributes: z.array(attribute, { error: 'an array' }).exactOptional(),
  },
  { error: 'an object' },
);

export type EmployeeRecord = z.infer<typeof employeeRecord>;
