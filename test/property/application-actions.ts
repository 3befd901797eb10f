import * as fc from 'fast-check';
import { Employee, EmployeeEdit, type Fact } from '@survey/proto/intake/v1/intake.ts';
import { isSameAddress } from '../support/import/model-emails.ts';
import { attributeOf } from '../support/import/model-records.ts';
import type { Organisation, Person } from '../support/import/organisation.ts';
import { ADDRESS_OF, ATTRIBUTE_OF, composed, IMPORT_IDS, PLAIN_VALUES } from '../support/import/vocabulary.ts';

interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** An action in the application between two imports. */
export interface ApplicationAction {
  // The full value of an app-created employee by id; undefined: an edit of an import-API employee,
  // by import_id.
  readonly id: number | undefined;
  readonly importId: string | null;
  // In an edit, undefined leaves the property unchanged.
  readonly email: string | undefined;
  readonly role: string | null;
  readonly isDeleted: boolean;
  readonly attributes: readonly NamedValue[];
  readonly supervisor: string | null | undefined;
}

const namedValue = fc.record({
  name: fc.constantFrom(...Object.keys(ATTRIBUTE_OF)),
  value: fc.constantFrom(...PLAIN_VALUES),
});
const address = fc.constantFrom(...Object.keys(ADDRESS_OF).filter((text) => ADDRESS_OF[text]?.same !== undefined));
const supervisor = fc.constantFrom(null, ...IMPORT_IDS.slice(0, 4));
const said = {
  role: fc.constantFrom(null, 'Coach', 'Employee', 'Respondee'),
  isDeleted: fc.nat(4).map((n) => n === 4),
  attributes: fc.array(namedValue, { maxLength: 2 }),
};

const whole: fc.Arbitrary<ApplicationAction> = fc.integer({ min: 1, max: 3 }).chain((id) =>
  fc.record({
    id: fc.constant(id),
    importId: fc.constantFrom(null, 'E1', 'E2', 'F1', 'F1'),
    email: fc.oneof(fc.constant(`p${id}@x.io`), address),
    supervisor,
    ...said,
  }),
);

const edit: fc.Arbitrary<ApplicationAction> = fc.record({
  id: fc.constant(undefined),
  importId: fc.constantFrom('E1', 'E2', 'E3', 'E4'),
  email: fc.option(address, { nil: undefined, freq: 1 }),
  supervisor: fc.option(supervisor, { nil: undefined, freq: 1 }),
  ...said,
});

export const deed: fc.Arbitrary<ApplicationAction> = fc.oneof(whole, edit);

/** Returns the fact that the application publishes about an action. */
export function factOf(what: ApplicationAction, revision: number): Fact {
  const boss = what.supervisor == null ? {} : { supervisor: { import_id: what.supervisor } };
  const role = what.role === null ? {} : { role: what.role };
  const common = { is_deleted: what.isDeleted, attributes: [...what.attributes], ...boss, ...role };
  if (what.id !== undefined) {
    const importId = what.importId === null ? {} : { import_id: what.importId };
    const employee = { ...EMPLOYEE, ...common, ...importId, id: what.id, email: what.email ?? '' };
    return { revision, line: 0, employee };
  }
  const cleared = [...(what.role === null ? ['role'] : []), ...(what.supervisor === null ? ['supervisor'] : [])];
  const email = what.email === undefined ? {} : { email: what.email };
  const employee = { import_id: what.importId ?? '' };
  return { revision, line: 0, employee_edit: { ...EDIT, ...common, ...email, employee, cleared } };
}

const EMPLOYEE: Employee = { id: 0, email: '', is_deleted: false, created_via: 'file', attributes: [] };
const EDIT: EmployeeEdit = { employee: null, attributes: [], cleared: [] };

/** Returns the organisation afterwards; undefined for an action that the application rejects. */
export function applyAction(what: ApplicationAction, { people, attributes }: Organisation): Organisation | undefined {
  const imported = (importId: string | null): Person | undefined =>
    people.find((person) => person.createdVia === 'import_api' && person.importId === importId);
  const known = what.id === undefined ? imported(what.importId) : people.find(({ id }) => id === what.id);
  if (what.id === undefined && known === undefined) return undefined;
  const before = known ?? { ...NEWCOMER, id: what.id ?? 0, importId: what.importId };
  const boss = what.supervisor == null ? what.supervisor : imported(what.supervisor)?.id;
  if (what.supervisor != null && (boss === undefined || boss === before.id)) return undefined;
  const after: Person = {
    ...before,
    email: what.email === undefined ? before.email : (ADDRESS_OF[what.email]?.stored ?? what.email),
    role: what.role,
    isDeleted: what.isDeleted,
    attributes: { ...(what.id === undefined ? before.attributes : {}), ...valuesOf(what.attributes) },
    supervisor: boss === undefined ? before.supervisor : boss,
    // An employee whom the import has taken over keeps the import_id (rule IMPORT-IDENTITY-17).
    ...(what.id === undefined || before.createdVia === 'import_api' ? {} : { importId: what.importId }),
  };
  const isTaken = people.some((person) => person !== known && !person.isDeleted && isSameAddress(person.email, after.email));
  if (isTaken && !after.isDeleted) return undefined;
  const next = known === undefined ? [...people, after] : people.map((person) => (person === known ? after : person));
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
    values[key] = [...new Set([...(values[key] ?? []), composed(value)])].sort();
  }
  return values;
}

// Of spellings that only the application has used, the first in the order of letters is shown.
function withNames(known: Organisation['attributes'], named: readonly NamedValue[]): Organisation['attributes'] {
  const attributes = { ...known };
  for (const { name, value } of named) {
    const key = attributeOf(name);
    const spelled = name.trim().normalize('NFC');
    const { name: shown, values, isNamedByFacts } = attributes[key] ?? { name: spelled, values: [], isNamedByFacts: true };
    const first = isNamedByFacts === true && spelled < shown ? spelled : shown;
    const all = [...new Set([...values, composed(value)])].sort();
    attributes[key] = { name: first, values: all, ...(isNamedByFacts === true ? { isNamedByFacts } : {}) };
  }
  return attributes;
}
