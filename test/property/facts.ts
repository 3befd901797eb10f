import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { Fact, type AttributeValue } from '@survey/proto/intake/v1/intake.ts';
import { attributeOf } from '../support/import/model-records.ts';
import type { Person, SentRecord } from '../support/import/organisation.ts';

// Small domains, so that facts collide; addresses that change owners.
const EMAILS = ['a@x.io', 'b@x.io', 'c@x.io', 'd@x.io', 'e1@x.io', 'e2@x.io'];
const NAMES = ['Dept', ' dePT ', 'Cost Center'];
const VALUES = ['Sales', 'IT'];

const attribute: fc.Arbitrary<AttributeValue> = fc.record({ name: fc.constantFrom(...NAMES), value: fc.constantFrom(...VALUES) });
const cleared: fc.Arbitrary<AttributeValue> = fc.record({ name: fc.constantFrom(...NAMES) });
const reference = fc.oneof(
  fc.record({ id: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ import_id: fc.constantFrom('E1', 'E2', 'NOPE') }),
);
const texts = {
  firstname: fc.constantFrom('Ann', 'Bea'),
  role: fc.constantFrom('Coach', 'Admin'),
  language: fc.constantFrom('en', 'fr'),
};
const revision = fc.integer({ min: 1, max: 3 });

const whole: fc.Arbitrary<Fact> = fc
  .record(
    {
      id: fc.integer({ min: 1, max: 3 }),
      email: fc.constantFrom(...EMAILS),
      is_deleted: fc.nat(3).map((n) => n === 3),
      created_via: fc.constantFrom('app', 'file'),
      attributes: fc.array(attribute, { maxLength: 2 }),
      import_id: fc.constantFrom('E1', 'F1'),
      supervisor: reference,
      ...texts,
    },
    { requiredKeys: ['id', 'email', 'is_deleted', 'created_via', 'attributes'] },
  )
  .filter(({ id, supervisor }) => !(supervisor !== undefined && 'id' in supervisor && supervisor.id === id))
  .chain((employee) => revision.map((number) => ({ revision: number, line: 0, employee })));

const edit: fc.Arbitrary<Fact> = fc
  .record(
    {
      employee: reference,
      email: fc.constantFrom(...EMAILS),
      is_deleted: fc.nat(3).map((n) => n === 3),
      attributes: fc.array(fc.oneof(attribute, cleared), { maxLength: 2 }),
      cleared: fc.subarray(['lastname', 'supervisor']),
      ...texts,
    },
    { requiredKeys: ['employee', 'attributes', 'cleared'] },
  )
  .chain((employee_edit) => revision.map((number) => ({ revision: number, line: 0, employee_edit })));

export const fact: fc.Arbitrary<Fact> = fc.oneof(whole, edit);

/** Returns the expected state: each field has the newest fact that sets it; NOPE never arrives. */
export function statedPeople(facts: readonly Fact[], imported: readonly SentRecord[]): Person[] {
  const fromImport = imported.map((record, at) => importedPerson(record, 1_000_000_000 + at));
  const stated = [1, 2, 3].filter((id) => facts.some(({ employee }) => employee?.id === id)).map((id) => ({ ...NOBODY_YET, id }));
  return [...stated, ...fromImport].map((person) => asStated(person, facts, [...stated, ...fromImport]));
}

function asStated(person: Person, facts: readonly Fact[], all: readonly Person[]): Person {
  const about = facts.filter((each) => isAbout(each, person)).toSorted(oldestFirst);
  const wholes = about.filter(({ employee }) => employee != null);
  const newestWhole = wholes.at(-1);
  const later = about.filter(
    (each) => each.employee == null && (newestWhole === undefined || oldestFirst(each, newestWhole) > 0),
  );
  let result = person;
  for (const each of newestWhole === undefined ? later : [newestWhole, ...later]) result = said(result, each, all);
  return result;
}

function said(person: Person, { employee, employee_edit }: Fact, all: readonly Person[]): Person {
  const { email, firstname, role, language, is_deleted, attributes = [], supervisor } = employee ?? employee_edit ?? {};
  const boss = all.find(({ id, importId, createdVia }) =>
    supervisor?.id != null ? id === supervisor.id : createdVia === 'import_api' && importId === supervisor?.import_id,
  );
  const isWhole = employee != null;
  const or = <T>(value: T | null | undefined, otherwise: T): T => value ?? otherwise;
  return {
    ...person,
    email: or(email, person.email),
    firstname: or(firstname, isWhole ? null : person.firstname),
    lastname: employee_edit?.cleared.includes('lastname') === true || isWhole ? null : person.lastname,
    role: or(role, isWhole ? null : person.role),
    language: or(language, isWhole ? null : person.language),
    isDeleted: or(is_deleted, person.isDeleted),
    attributes: withValues(isWhole ? {} : person.attributes, attributes),
    supervisor: isWhole ? (boss?.id ?? null) : employee_edit?.cleared.includes('supervisor') === true ? null : person.supervisor,
    ...(employee == null ? {} : { createdVia: employee.created_via, importId: employee.import_id ?? null }),
  };
}

function withValues(before: Person['attributes'], listed: readonly AttributeValue[]): Person['attributes'] {
  const after = { ...before };
  for (const { name } of listed) {
    const key = attributeOf(name);
    const values = listed.flatMap((other) => (attributeOf(other.name) === key && other.value != null ? other.value : []));
    if (values.length === 0) delete after[key];
    else after[key] = [...new Set(values)].sort();
  }
  return after;
}

function isAbout({ employee, employee_edit }: Fact, { id, importId, createdVia }: Person): boolean {
  if (employee != null) return employee.id === id;
  const named = employee_edit?.employee;
  return named?.id === id || (createdVia === 'import_api' && named?.import_id != null && named.import_id === importId);
}

// At equal revisions, the bytes with the higher SHA-256 win.
function oldestFirst(a: Fact, b: Fact): number {
  return a.revision - b.revision || Buffer.compare(digestOf(a), digestOf(b));
}

function digestOf(fact: Fact): Buffer {
  return createHash('sha256')
    .update(Fact.encode({ ...fact, revision: 0, line: 0 }).finish())
    .digest();
}

const NOBODY_YET: Person = {
  id: 0,
  createdVia: 'app',
  importId: null,
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

function importedPerson({ import_id, email, firstname, lastname }: SentRecord, id: number): Person {
  const named = { importId: import_id, email, firstname, lastname };
  return { ...NOBODY_YET, ...named, id, createdVia: 'import_api', language: 'de', role: 'Respondee' };
}
