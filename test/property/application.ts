import * as fc from 'fast-check';
import { Employee, EmployeeEdit, type Fact } from '@survey/rpc/gen/survey/intake/v1/intake.ts';
import { isSameAddress } from './model-emails.ts';
import { attributeOf } from './model-records.ts';
import type { Organisation, Person } from './organisation.ts';
import { ADDRESS_OF, ATTRIBUTE_OF, IMPORT_IDS, PLAIN_VALUES } from './vocabulary.ts';

interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** What somebody does in the application between two imports. */
export interface Deed {
  // Undefined: to an employee of the import API, by import_id.
  readonly id: number | undefined;
  readonly importId: string | null;
  readonly email: string;
  readonly role: string | null;
  readonly isDeleted: boolean;
  readonly attributes: readonly NamedValue[];
  readonly supervisor: string | null;
}

const namedValue = fc.record({
  name: fc.constantFrom(...Object.keys(ATTRIBUTE_OF)),
  value: fc.constantFrom(...PLAIN_VALUES),
});

const addresses = Object.keys(ADDRESS_OF).filter((address) => ADDRESS_OF[address]?.same !== undefined);

export const deed: fc.Arbitrary<Deed> = fc
  .tuple(
    fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    fc.constantFrom('E1', 'E2', 'E3', 'F1'),
    fc.record({
      email: fc.constantFrom('p1@x.io', ...addresses),
      role: fc.constantFrom(null, 'Coach', 'Employee', 'Respondee'),
      isDeleted: fc.nat(4).map((n) => n === 4),
      attributes: fc.array(namedValue, { maxLength: 3 }),
      supervisor: fc.constantFrom(null, ...IMPORT_IDS.slice(0, 3)),
    }),
    fc.boolean(),
  )
  .map(([id, importId, more, isNameless]) => ({ id, importId: id !== undefined && isNameless ? null : importId, ...more }));

/** The fact that the application publishes about a deed. */
export function factOf(what: Deed, revision: number): Fact {
  const supervisor = what.supervisor === null ? undefined : { import_id: what.supervisor };
  const { email, isDeleted: is_deleted, attributes, role } = what;
  const said = { email, is_deleted, attributes: [...attributes], ...(supervisor === undefined ? {} : { supervisor }) };
  const rest = role === null ? {} : { role };
  if (what.id !== undefined) {
    const importId = what.importId === null ? {} : { import_id: what.importId };
    return { revision, line: 0, employee: { ...EMPLOYEE, ...said, ...rest, ...importId, id: what.id } };
  }
  const cleared = [...(role === null ? ['role'] : []), ...(supervisor === undefined ? ['supervisor'] : [])];
  return {
    revision,
    line: 0,
    employee_edit: { ...EDIT, ...said, ...rest, employee: { import_id: what.importId ?? '' }, cleared },
  };
}

const EMPLOYEE: Employee = { id: 0, email: '', is_deleted: false, created_via: 'file', attributes: [] };
const EDIT: EmployeeEdit = { employee: null, attributes: [], cleared: [] };

/** The organisation afterwards; undefined for what the application would not do. */
export function done(what: Deed, { people, attributes }: Organisation): Organisation | undefined {
  const whoIs = (importId: string | null): Person | undefined =>
    people.find((person) => person.createdVia === 'import_api' && person.importId === importId);
  const before = what.id === undefined ? whoIs(what.importId) : people.find(({ id }) => id === what.id);
  const supervisor = what.supervisor === null ? null : whoIs(what.supervisor)?.id;
  if ((what.id === undefined && before === undefined) || supervisor === undefined || supervisor === before?.id) {
    return undefined;
  }
  const isTaken = people.some((person) => person !== before && !person.isDeleted && isSameAddress(person.email, what.email));
  if (isTaken && !what.isDeleted) return undefined;
  const whole = what.id === undefined ? before?.attributes : {};
  const after: Person = {
    ...(before ?? { ...NEWCOMER, id: what.id ?? 0, importId: what.importId }),
    email: ADDRESS_OF[what.email]?.stored ?? what.email,
    role: what.role,
    isDeleted: what.isDeleted,
    attributes: { ...whole, ...valuesOf(what.attributes) },
    supervisor,
    ...(what.id === undefined ? {} : { importId: what.importId }),
  };
  const next = before === undefined ? [...people, after] : people.map((person) => (person === before ? after : person));
  return { people: next, attributes: withNames(attributes, what.attributes) };
}

const NEWCOMER: Omit<Person, 'id' | 'importId'> = {
  createdVia: 'file',
  email: '',
  firstname: null,
  lastname: null,
  language: null,
  role: null,
  isDeleted: false,
  supervisor: null,
  attributes: {},
  allData: false,
  grants: [],
};

function valuesOf(named: readonly NamedValue[]): Record<string, string[]> {
  const values: Record<string, string[]> = {};
  for (const { name, value } of named) {
    const key = attributeOf(name);
    values[key] = [...new Set([...(values[key] ?? []), value])].sort();
  }
  return values;
}

// Of spellings that only the application has used, the first in the order of letters is shown.
function withNames(known: Organisation['attributes'], named: readonly NamedValue[]): Organisation['attributes'] {
  const attributes = { ...known };
  for (const { name, value } of named) {
    const key = attributeOf(name);
    const { name: shown, values, isNamedByFacts } = attributes[key] ?? { name: name.trim(), values: [], isNamedByFacts: true };
    const first = isNamedByFacts === true && name.trim() < shown ? name.trim() : shown;
    const all = [...new Set([...values, value])].sort();
    attributes[key] = { name: first, values: all, ...(isNamedByFacts === true ? { isNamedByFacts } : {}) };
  }
  return attributes;
}
