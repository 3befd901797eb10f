import type { Circumstances, Person, SentRecord } from './organisation.ts';
import { ADDRESS_OF, ATTRIBUTE_OF, composed, LANGUAGE_OF, ROLES, storedValue } from './vocabulary.ts';

/**
 * Returns why a record is skipped regardless of the rest: 'code pointer' (rule
 * IMPORT-LIFECYCLE-SKIP-1; rule IMPORT-EMAILS-8).
 */
export function ownRejections(record: SentRecord, index: number, year: number): string[] {
  const at = `/employees/${index}`;
  const reasons: string[] = [];
  if (ADDRESS_OF[record.email]?.same === undefined) reasons.push(`email_blank ${at}/email`);
  if (record.role != null && !ROLES.includes(record.role)) reasons.push(`role_unknown ${at}/role`);
  if (record.language != null && LANGUAGE_OF[record.language] === undefined) reasons.push(`language_unknown ${at}/language`);
  const listed: string[] = [];
  for (const [position, { name, value }] of (record.attributes ?? []).entries()) {
    const attribute = attributeOf(name);
    if (listed.includes(attribute)) reasons.push(`attribute_repeated ${at}/attributes/${position}/name`);
    listed.push(attribute);
    if (value !== null && storedValue(attribute, value.name, year) === undefined) {
      reasons.push(`year_malformed ${at}/attributes/${position}/value/name`);
    }
  }
  return reasons;
}

export function attributeOf(spelling: string): string {
  const attribute = ATTRIBUTE_OF[spelling];
  if (attribute === undefined) throw new Error(`the vocabulary lacks ${JSON.stringify(spelling)}`);
  return attribute;
}

/** Returns a new employee with the defaults of rule IMPORT-IDENTITY-2. */
export function newPerson(id: number, importId: string, { defaultLanguage }: Circumstances): Person {
  return {
    id,
    createdVia: 'import_api',
    importId,
    email: '',
    firstname: null,
    lastname: null,
    language: defaultLanguage,
    role: 'Respondee',
    isDeleted: false,
    supervisor: null,
    attributes: {},
    allData: false,
    grants: [],
  };
}

/**
 * Returns the employee after a record is applied, without the supervisor: absent, null, value.
 * `options` resolves grants.
 */
export function applied(before: Person, record: SentRecord, circumstances: Circumstances, options: ReadonlySet<string>): Person {
  const returns = before.isDeleted && circumstances.onReturn === 'reset';
  let after: Person = {
    ...before,
    ...(returns && { role: 'Respondee', allData: false, grants: [] }),
    isDeleted: false,
    email: ADDRESS_OF[record.email]?.stored ?? '',
    firstname: record.firstname,
    lastname: record.lastname,
  };
  if (record.language === null) after = { ...after, language: circumstances.defaultLanguage };
  else if (record.language !== undefined) after = { ...after, language: LANGUAGE_OF[record.language] ?? null };
  if (record.role !== undefined) after = { ...after, role: record.role ?? 'Respondee' };
  if (record.role === null) after = { ...after, allData: false, grants: [] };
  after = { ...after, attributes: appliedAttributes(after, record, circumstances) };
  return appliedPermissions(after, record, options);
}

function appliedAttributes(person: Person, record: SentRecord, { year }: Circumstances): Person['attributes'] {
  const attributes: Record<string, readonly string[]> = { ...person.attributes };
  for (const { name, value } of record.attributes ?? []) {
    const attribute = attributeOf(name);
    const stored = value === null ? undefined : storedValue(attribute, value.name, year);
    if (stored === undefined) delete attributes[attribute];
    else attributes[attribute] = [stored];
  }
  return attributes;
}

function appliedPermissions(person: Person, { permissions }: SentRecord, options: ReadonlySet<string>): Person {
  if (permissions === undefined) return person;
  if (permissions === null) return { ...person, allData: false, grants: [] };
  if (person.role === 'Respondee') return person;
  if (permissions.all_data === true) return { ...person, allData: true, grants: [] };
  const named = (permissions.grants ?? []).map((grant) => grantName(grant.attribute.name, grant.value.name));
  return { ...person, allData: false, grants: [...new Set(named.filter((grant) => options.has(grant)))].sort() };
}

const grantName = (attribute: string, value: string): string => `${attributeOf(attribute)}=${composed(value)}`;

/**
 * Returns the dropped grants of an applied record: 'code pointer' (rule IMPORT-GRANTS-SCOPE-2; rule
 * IMPORT-GRANTS-PERMISSIONS-2).
 */
export function droppedGrants(
  after: Person,
  { role, permissions }: SentRecord,
  index: number,
  options: ReadonlySet<string>,
): string[] {
  if (permissions == null || permissions.all_data === true || role === null || after.role === 'Respondee') return [];
  return (permissions.grants ?? []).flatMap((grant, position) =>
    options.has(grantName(grant.attribute.name, grant.value.name))
      ? []
      : [`grant_dropped /employees/${index}/permissions/grants/${position}`],
  );
}
