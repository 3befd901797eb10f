import type { Client } from '@survey/postgres/database.ts';
import type { Dictionary } from '../rules/dictionary.ts';
import { loadVersions } from '../sql/employee-versions.ts';
import { addressesOfOthers, findEmployees } from '../sql/fact-employees.ts';
import { activeEmailKey, findEmailConflicts, type Change } from './email-conflicts.ts';
import { draftOf, type Draft, type StoredEmployee, type Versions } from './draft.ts';
import { isNewer, type EmployeeFact } from './employee-fact.ts';

/** What statements come to, before anything is written. */
export interface FactResolution {
  readonly changes: readonly Change[];
  // Those that count for `changes`, superseded ones included.
  readonly applied: readonly EmployeeFact[];
  // Edits of employees who are not there.
  readonly unknown: readonly EmployeeFact[];
  // Those that would give an employee an address that somebody else has.
  readonly refused: readonly EmployeeFact[];
}

/** All statements about one employee. */
interface FactsOfEmployee {
  readonly id: number;
  readonly stored: StoredEmployee | undefined;
  readonly versions: Versions;
  statements: EmployeeFact[];
}

/**
 * Works out what statements make of the account's employees, under its lock. Addresses are judged when all of them have changed, so that
 * employees may swap theirs: a statement is refused, with all that it says, when somebody else then has the address.
 */
export async function resolveFacts(
  tx: Client,
  accountId: number,
  statements: readonly EmployeeFact[],
  dictionary: Dictionary,
): Promise<FactResolution> {
  const { subjects, unknown } = await findSubjects(tx, accountId, statements);
  const refused: EmployeeFact[] = [];
  for (;;) {
    const changes = subjects.flatMap((subject) => changeOf(subject, dictionary));
    const turnedAway = await refuse(tx, accountId, subjects, changes);
    refused.push(...turnedAway);
    if (turnedAway.length > 0) continue;
    const withoutEmployee = subjects.filter(({ id }) => !changes.some(({ draft }) => draft.employee.id === id));
    return {
      changes,
      applied: subjects.filter((subject) => !withoutEmployee.includes(subject)).flatMap((subject) => subject.statements),
      unknown: [...unknown, ...withoutEmployee.flatMap((subject) => subject.statements)],
      refused,
    };
  }
}

async function findSubjects(
  tx: Client,
  accountId: number,
  statements: readonly EmployeeFact[],
): Promise<{ subjects: FactsOfEmployee[]; unknown: EmployeeFact[] }> {
  const ids = statements.flatMap(({ employeeKey }) => ('id' in employeeKey ? employeeKey.id : []));
  const importIds = statements.flatMap(({ employeeKey }) => ('importId' in employeeKey ? employeeKey.importId : []));
  const stored = await findEmployees(tx, accountId, ids, importIds);
  const versions = await loadVersions(tx, accountId, [...ids, ...stored.map(({ id }) => id)]);
  const byId = new Map(stored.map((employee) => [employee.id, employee]));
  const imported = stored.filter(({ created_via }) => created_via === 'import_api');
  const byImportId = new Map(imported.map((employee) => [employee.import_id, employee.id]));
  const subjects = new Map<number, FactsOfEmployee>();
  const unknown: EmployeeFact[] = [];
  for (const statement of statements) {
    const id = 'id' in statement.employeeKey ? statement.employeeKey.id : byImportId.get(statement.employeeKey.importId);
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

function changeOf({ stored, versions, statements }: FactsOfEmployee, dictionary: Dictionary): Change[] {
  const draft = draftOf(stored, versions, statements, dictionary);
  return draft === undefined ? [] : [{ stored, draft }];
}

// Takes from each employee whose address is somebody else's the newest statement that speaks of it.
async function refuse(
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
    if (newest === undefined || isNewer(statement.version, newest.version)) newest = statement;
  }
  // Without one the employee would have kept an address that was no one else's.
  if (newest === undefined) throw new Error('an address is refused that nobody has stated');
  subject.statements = subject.statements.filter((statement) => statement !== newest);
  return newest;
}
