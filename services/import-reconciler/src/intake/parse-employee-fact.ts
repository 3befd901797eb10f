import { displayAttributeName, normaliseAttributeName } from '@survey/attribute-name/normalise.ts';
import type { IncomingFact } from '@survey/bus/intake.ts';
import {
  Fact,
  type AttributeValue,
  type Employee,
  type EmployeeEdit,
  type EmployeeReference,
} from '@survey/rpc/gen/survey/intake/v1/intake.ts';
import { trimEmail } from '@survey/employee-record/email-key.ts';
import { formatEmployeeKey, type EmployeeKey, type Fields, type AttributeChange, type EmployeeFact } from './employee-fact.ts';

/** Reason why a fact can never be applied: names the field and the rule, never the value. */
export class InvalidFactError extends Error {
  override readonly name = 'InvalidFactError';
}

// Ids from here on are assigned by imports.
const FIRST_IMPORTED_ID = 1_000_000_000;
const CREATED_VIA = ['app', 'file', 'sftp', 'hcm'];
const CLEARABLE = ['firstname', 'lastname', 'role', 'language', 'supervisor'] as const;
// Same limit as for imports (rule IMPORT-REQUEST-TEXTS-1).
const NAME_LENGTH = 255;

type ParsedFields = Pick<EmployeeFact, 'employeeKey' | 'fullEmployee' | 'fields' | 'attributes' | 'supervisor'>;

/**
 * Parses a fact about an employee.
 * @throws InvalidFactError
 */
export function parseEmployeeFact({ fact, revision, digest, source, line }: IncomingFact): EmployeeFact {
  const said = readSaid(fact);
  if (said.supervisor != null && formatEmployeeKey(said.supervisor) === formatEmployeeKey(said.employeeKey))
    throw new InvalidFactError('supervisor is the employee');
  return { ...said, version: { revision, digest }, fact: Buffer.from(Fact.encode(fact).finish()), source, line };
}

function readSaid({ employee, employee_edit }: Fact): ParsedFields {
  if (employee != null) return parseFullEmployee(employee);
  if (employee_edit != null) return readEdit(employee_edit);
  throw new InvalidFactError('not a fact about an employee');
}

function parseFullEmployee(employee: Employee): ParsedFields {
  const { id, created_via, import_id, is_deleted, attributes, supervisor } = employee;
  if (!Number.isSafeInteger(id) || id < 1 || id >= FIRST_IMPORTED_ID)
    throw new InvalidFactError('id must be from 1 to 999,999,999');
  if (!CREATED_VIA.includes(created_via)) throw new InvalidFactError(`created_via must be one of ${CREATED_VIA.join(', ')}`);
  if (attributes.some(({ value }) => value == null)) throw new InvalidFactError('attributes need a value each');
  return {
    employeeKey: { id },
    fullEmployee: { created_via, import_id: optional(import_id, 'import_id') },
    fields: {
      email: address(employee.email),
      firstname: optional(employee.firstname, 'firstname'),
      lastname: optional(employee.lastname, 'lastname'),
      role: optional(employee.role, 'role'),
      language: optional(employee.language, 'language'),
      is_deleted,
    },
    attributes: readAttributes(attributes),
    supervisor: supervisor == null ? null : readReference(supervisor, 'supervisor'),
  };
}

function readEdit(edit: EmployeeEdit): ParsedFields {
  const { employee, is_deleted, attributes, supervisor } = edit;
  if (employee === null) throw new InvalidFactError('employee must name an employee by id or import_id');
  const cleared = readCleared(edit);
  const email = edit.email == null ? {} : { email: address(edit.email) };
  const fields: Partial<Fields> = { ...email, ...(is_deleted == null ? {} : { is_deleted }), ...readTexts(edit, cleared) };
  return {
    employeeKey: readReference(employee, 'employee'),
    fullEmployee: undefined,
    fields,
    attributes: readAttributes(attributes),
    supervisor: cleared.has('supervisor') ? null : supervisor == null ? undefined : readReference(supervisor, 'supervisor'),
  };
}

function readCleared(edit: EmployeeEdit): ReadonlySet<string> {
  const cleared = new Set(edit.cleared);
  for (const field of cleared) {
    const name = CLEARABLE.find((clearable) => clearable === field);
    if (name === undefined) throw new InvalidFactError(`cleared may name ${CLEARABLE.join(', ')}`);
    if (edit[name] != null) throw new InvalidFactError(`${name} is both set and cleared`);
  }
  return cleared;
}

function readTexts(edit: EmployeeEdit, cleared: ReadonlySet<string>): Partial<Fields> {
  const names = ['firstname', 'lastname', 'role', 'language'] as const;
  const said = names.filter((name) => cleared.has(name) || edit[name] != null);
  return Object.fromEntries(said.map((name) => [name, optional(edit[name], name)]));
}

function readAttributes(listed: readonly AttributeValue[]): AttributeChange[] {
  const attributes = new Map<string, { name: string; values: Set<string> }>();
  for (const { name, value } of listed) {
    const key = normaliseAttributeName(named(name, 'the name of an attribute'));
    const shown = displayAttributeName(name);
    const attribute = attributes.get(key) ?? { name: shown, values: new Set() };
    attributes.set(key, attribute);
    if (shown < attribute.name) attribute.name = shown;
    if (value === '' || (value ?? '').length > NAME_LENGTH)
      throw new InvalidFactError(`a value of an attribute must have 1 to ${NAME_LENGTH} characters`);
    if (value != null) attribute.values.add(optional(value, 'a value of an attribute') ?? '');
  }
  return [...attributes].map(([key, { name, values }]) => ({ key, name, values: [...values] }));
}

function named(name: string, what: string): string {
  if (name.trim() === '' || name.length > NAME_LENGTH)
    throw new InvalidFactError(`${what} must have 1 to ${NAME_LENGTH} characters`);
  return optional(name, what) ?? '';
}

function readReference({ id, import_id }: EmployeeReference, field: string): EmployeeKey {
  if (id != null && Number.isSafeInteger(id) && id > 0) return { id };
  if (id == null && import_id != null && import_id.trim() !== '') return { importId: optional(import_id, field) ?? '' };
  throw new InvalidFactError(`${field} must name an employee by id or import_id`);
}

function address(email: string): string {
  if (email.trim() === '') throw new InvalidFactError('email must not be empty');
  return trimEmail(optional(email, 'email') ?? '');
}

function optional(value: string | null | undefined, field: string): string | null {
  if (value?.includes('\0')) throw new InvalidFactError(`${field} must not contain the character U+0000`);
  return value ?? null;
}
