import { isNewer } from '@survey/bus/facts/fact.ts';
import { emailKey } from '@survey/formats/email-key.ts';
import type { Client } from '@survey/postgres/database.ts';
import type { Dictionary } from '../rules/dictionary.ts';
import { draftOf, editedAttributes, fieldsOf, type StoredEmployee, type Versions } from '../rules/draft.ts';
import type { EmployeeFact } from '../rules/employee-fact.ts';
import { lookUp } from '../tables/stored-dictionary.ts';
import { AddressClaims, addressesOfOthers, type Change, type Compared, findEmployees, loadVersions } from './fact-employees.ts';

/** Result of resolving facts, before anything is written. */
export interface FactResolution {
  readonly changes: readonly Change[];
  // Facts applied in `changes`, superseded ones included.
  readonly applied: readonly EmployeeFact[];
  // Edits of employees that do not exist.
  readonly unknown: readonly EmployeeFact[];
  // Facts whose address belongs to another active employee.
  readonly rejected: readonly EmployeeFact[];
  // Facts with which an employee would have too many values, or too many edits to compare with.
  readonly refused: readonly EmployeeFact[];
}

/** Values of an employee, and newer edits of attributes that a whole employee is compared with. */
const MAX_VALUES = 10_000;

/** All facts about one employee. */
interface FactsOfEmployee {
  readonly id: number;
  readonly stored: StoredEmployee | undefined;
  versions: Versions;
  statements: EmployeeFact[];
}

/**
 * Resolves facts into changes of employees, under the account's lock. Address conflicts are checked
 * on the final state, so employees can swap addresses. A conflicting fact is rejected as a whole.
 */
export async function resolveFacts(
  tx: Client,
  accountId: number,
  statements: readonly EmployeeFact[],
  dictionary: Dictionary,
): Promise<FactResolution> {
  const { subjects, unknown, refused } = await findSubjects(tx, accountId, statements);
  await lookUpNames(tx, accountId, subjects, dictionary);
  const holders = await holdersOfAddresses(tx, accountId, subjects);
  const changeBySubject = new Map(subjects.map((subject) => [subject, changeOf(subject, dictionary)]));
  for (const [subject, change] of changeBySubject) {
    if (change === undefined || !hasTooManyValues(change)) continue;
    for (const statement of subject.statements) if (statesValues(statement)) refused.push(statement);
    subject.statements = subject.statements.filter((statement) => !statesValues(statement));
    changeBySubject.set(subject, changeOf(subject, dictionary));
  }
  const rejected: EmployeeFact[] = [];
  const claims = new AddressClaims<FactsOfEmployee>(holders);
  const claim = (subject: FactsOfEmployee): void => {
    const change = changeBySubject.get(subject);
    if (change !== undefined) claims.add(subject, change);
  };
  subjects.forEach(claim);
  // Rejecting a fact gives its employee the former address back, which another fact may have
  // claimed.
  for (let subject = claims.takeUnserved(); subject !== undefined; subject = claims.takeUnserved()) {
    for (const fact of rejectNewestEmailChanges(subject, holders)) rejected.push(fact);
    changeBySubject.set(subject, changeOf(subject, dictionary));
    claim(subject);
  }
  const { with: withChange = [], without: withoutChange = [] } = Object.groupBy(subjects, (subject) =>
    changeBySubject.get(subject) === undefined ? 'without' : 'with',
  );
  return {
    changes: [...changeBySubject.values()].filter((change) => change !== undefined),
    applied: withChange.flatMap((subject) => subject.statements),
    unknown: [...unknown, ...withoutChange.flatMap((subject) => subject.statements)],
    rejected,
    refused,
  };
}

const hasTooManyValues = ({ stored, draft }: Change): boolean =>
  draft.employee.option_ids.length > Math.max(MAX_VALUES, stored?.option_ids.length ?? 0);

const statesValues = ({ attributes }: EmployeeFact): boolean => attributes.some(({ values }) => values.length > 0);

async function findSubjects(
  tx: Client,
  accountId: number,
  statements: readonly EmployeeFact[],
): Promise<{ subjects: FactsOfEmployee[]; unknown: EmployeeFact[]; refused: EmployeeFact[] }> {
  const ids = statements.flatMap(({ employee }) => ('id' in employee ? employee.id : []));
  const importIds = statements.flatMap(({ employee }) => ('id' in employee ? [] : employee.import_id));
  const stored = await findEmployees(tx, accountId, [...new Set(ids)], [...new Set(importIds)]);
  const byId = new Map(stored.map((employee) => [employee.id, employee]));
  const imported = stored.filter(({ created_via }) => created_via === 'import_api');
  const byImportId = new Map(imported.map((employee) => [employee.import_id, employee.id]));
  const subjects = new Map<number, FactsOfEmployee>();
  const unknown: EmployeeFact[] = [];
  for (const statement of statements) {
    const { employee } = statement;
    const id = 'id' in employee ? employee.id : byImportId.get(employee.import_id);
    if (id === undefined) unknown.push(statement);
    else subjectWith(id).statements.push(statement);
  }
  const versions = await loadVersions(tx, accountId, Array.from(subjects.values(), comparedWith), MAX_VALUES);
  const refused: EmployeeFact[] = [];
  for (const subject of subjects.values()) {
    subject.versions = versions.get(subject.id) ?? new Map();
    if (subject.versions.size <= MAX_VALUES || comparedWith(subject).wholeRevision === undefined) continue;
    subjects.delete(subject.id);
    for (const statement of subject.statements) refused.push(statement);
  }
  return { subjects: [...subjects.values()], unknown, refused };

  function subjectWith(id: number): FactsOfEmployee {
    const subject = subjects.get(id) ?? { id, stored: byId.get(id), versions: new Map(), statements: [] };
    subjects.set(id, subject);
    return subject;
  }
}

function comparedWith({ id, statements }: FactsOfEmployee): Compared {
  const wholes = statements.filter(({ fullEmployee }) => fullEmployee !== undefined);
  const wholeRevision = wholes.reduce<number | undefined>(
    (newest, { revision }) => Math.max(newest ?? revision, revision),
    undefined,
  );
  return { id, fields: [...new Set(['', ...statements.flatMap(fieldsOf)])], wholeRevision };
}

async function lookUpNames(
  tx: Client,
  accountId: number,
  subjects: readonly FactsOfEmployee[],
  dictionary: Dictionary,
): Promise<void> {
  const stated = subjects.flatMap(({ statements }) => statements.flatMap(({ attributes }) => attributes));
  const edited = subjects.flatMap(({ versions }) => editedAttributes(versions));
  const names = [
    ...stated.flatMap(({ key, values }) => [null, ...values].map((value) => ({ key, value }))),
    ...edited.map((key) => ({ key, value: null })),
  ];
  const unknown = dictionary.unknownOf(
    names,
    subjects.flatMap(({ stored }) => stored?.option_ids ?? []),
  );
  if (unknown !== undefined) await lookUp(tx, accountId, dictionary, unknown);
}

function changeOf({ stored, versions, statements }: FactsOfEmployee, dictionary: Dictionary): Change | undefined {
  const draft = draftOf(stored, versions, statements, dictionary);
  return draft === undefined ? undefined : { stored, draft };
}

/** Returns which addresses that these employees may get belong to others. */
function holdersOfAddresses(tx: Client, accountId: number, subjects: readonly FactsOfEmployee[]): Promise<Set<string>> {
  const emails = subjects.flatMap(({ stored, statements }) => [
    ...(stored === undefined ? [] : [stored.email]),
    ...statements.flatMap(({ fields }) => fields.email ?? []),
  ]);
  const ids = subjects.map(({ id }) => id);
  return addressesOfOthers(tx, accountId, [...new Set(emails.map(emailKey))], ids);
}

// The newest fact about the address of an employee with an address conflict, and those next to it
// with which the employee would get an address that others keep.
function rejectNewestEmailChanges(subject: FactsOfEmployee, holders: ReadonlySet<string>): Set<EmployeeFact> {
  const { statements, versions } = subject;
  const newestFirst = statements
    .filter(({ fields }) => fields.email !== undefined || fields.is_deleted !== undefined)
    .sort((one, other) => Number(isNewer(other, one)) - Number(isNewer(one, other)));
  // Without such a fact the employee would have kept an address without a conflict.
  if (newestFirst[0] === undefined) throw new Error('cannot reject an address: no fact states it');
  const isTaken = (fact: EmployeeFact): boolean =>
    fact.fields.is_deleted === undefined &&
    holders.has(emailKey(fact.fields.email ?? '')) &&
    isNewer(fact, versions.get('')) &&
    isNewer(fact, versions.get('email'));
  const changesActivity = newestFirst[0].fields.is_deleted !== undefined;
  const end = newestFirst.findIndex((fact, nth) => nth > 0 && (changesActivity || !isTaken(fact)));
  const rejected = new Set(newestFirst.slice(0, end < 0 ? undefined : end));
  subject.statements = statements.filter((statement) => !rejected.has(statement));
  return rejected;
}
