import { isNewer } from '@survey/bus/facts/version.ts';
import type { Client } from '@survey/postgres/database.ts';
import type { Dictionary } from '../rules/dictionary.ts';
import { draftOf, editedAttributes, type Draft, type StoredEmployee, type Versions } from '../rules/draft.ts';
import type { EmployeeFact } from '../rules/employee-fact.ts';
import { lookUp } from '../tables/stored-dictionary.ts';
import { activeEmailKey, findEmailConflicts, type Change } from './email-conflicts.ts';
import { loadVersions } from './employee-versions.ts';
import { addressesOfOthers, findEmployees } from './fact-employees.ts';

/** Result of resolving facts, before anything is written. */
export interface FactResolution {
  readonly changes: readonly Change[];
  // Facts applied in `changes`, superseded ones included.
  readonly applied: readonly EmployeeFact[];
  // Edits of employees that do not exist.
  readonly unknown: readonly EmployeeFact[];
  // Facts whose address belongs to another active employee.
  readonly rejected: readonly EmployeeFact[];
}

/** All facts about one employee. */
interface FactsOfEmployee {
  readonly id: number;
  readonly stored: StoredEmployee | undefined;
  readonly versions: Versions;
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
  const { subjects, unknown } = await findSubjects(tx, accountId, statements);
  await lookUpNames(tx, accountId, subjects, dictionary);
  const rejected: EmployeeFact[] = [];
  for (;;) {
    const changes = subjects.flatMap((subject) => changeOf(subject, dictionary));
    const turnedAway = await reject(tx, accountId, subjects, changes);
    for (const fact of turnedAway) rejected.push(fact);
    if (turnedAway.length > 0) continue;
    const withoutEmployee = subjects.filter(({ id }) => !changes.some(({ draft }) => draft.employee.id === id));
    return {
      changes,
      applied: subjects.filter((subject) => !withoutEmployee.includes(subject)).flatMap((subject) => subject.statements),
      unknown: [...unknown, ...withoutEmployee.flatMap((subject) => subject.statements)],
      rejected,
    };
  }
}

async function findSubjects(
  tx: Client,
  accountId: number,
  statements: readonly EmployeeFact[],
): Promise<{ subjects: FactsOfEmployee[]; unknown: EmployeeFact[] }> {
  const ids = statements.flatMap(({ employee }) => ('id' in employee ? employee.id : []));
  const importIds = statements.flatMap(({ employee }) => ('id' in employee ? [] : employee.import_id));
  const stored = await findEmployees(tx, accountId, ids, importIds);
  const versions = await loadVersions(tx, accountId, [...ids, ...stored.map(({ id }) => id)]);
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
  return { subjects: [...subjects.values()], unknown };

  function subjectWith(id: number): FactsOfEmployee {
    const subject = subjects.get(id) ?? { id, stored: byId.get(id), versions: versions.get(id) ?? new Map(), statements: [] };
    subjects.set(id, subject);
    return subject;
  }
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

function changeOf({ stored, versions, statements }: FactsOfEmployee, dictionary: Dictionary): Change[] {
  const draft = draftOf(stored, versions, statements, dictionary);
  return draft === undefined ? [] : [{ stored, draft }];
}

// Removes the newest fact about the address from each employee with an address conflict.
async function reject(
  tx: Client,
  accountId: number,
  subjects: readonly FactsOfEmployee[],
  changes: readonly Change[],
): Promise<EmployeeFact[]> {
  const moving = changes.flatMap(({ stored, draft }) => (isMoving(stored, draft) ? (activeEmailKey(draft.employee) ?? []) : []));
  const changing = changes.map(({ draft }) => draft.employee.id);
  const holders = moving.length === 0 ? new Set<string>() : await addressesOfOthers(tx, accountId, moving, changing);
  const ids = new Set(findEmailConflicts(changes, holders));
  return subjects.filter(({ id }) => ids.has(id)).map(rejectNewestEmailChange);
}

function isMoving(stored: StoredEmployee | undefined, { employee }: Draft): boolean {
  return stored === undefined || activeEmailKey(stored) !== activeEmailKey(employee);
}

function rejectNewestEmailChange(subject: FactsOfEmployee): EmployeeFact {
  let newest: EmployeeFact | undefined;
  for (const statement of subject.statements) {
    const { email, is_deleted } = statement.fields;
    if (email === undefined && is_deleted === undefined) continue;
    if (isNewer(statement, newest)) newest = statement;
  }
  // Without such a fact the employee would have kept an address without a conflict.
  if (newest === undefined) throw new Error('cannot reject an address: no fact states it');
  subject.statements = subject.statements.filter((statement) => statement !== newest);
  return newest;
}
