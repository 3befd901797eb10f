import type { Line } from './import-model.ts';
import type { Person } from './organisation.ts';

/**
 * Sets supervisors after all records are applied (rule IMPORT-SUPERVISORS-1;
 * docs/rules/import-supervisors.md). Updates `people` to the final state and adds `warnings`.
 */
export function settleSupervisors(
  before: readonly Person[],
  people: readonly Person[],
  lines: readonly Line[],
  warnings: ReadonlyMap<number, string[]>,
): Person[] {
  const settled = people.map((person) => {
    const line = lines.find(({ record }) => person.createdVia === 'import_api' && record.import_id === person.importId);
    return line === undefined ? person : { ...person, supervisor: supervisorOf(person, line, before, people, warnings) };
  });
  for (const { index, record, reasons } of lines) {
    if (reasons.length > 0 || !isOnCycle(record.import_id, settled)) continue;
    warnings.get(index)?.push(`supervisor_cycle ${supervisorPointer(index, record)}`);
  }
  return settled;
}

function supervisorOf(
  person: Person,
  { index, record, reasons }: Line,
  before: readonly Person[],
  people: readonly Person[],
  warnings: ReadonlyMap<number, string[]>,
): number | null {
  const current = people.find(({ id }) => id === person.supervisor);
  const isCurrentGone = current?.isDeleted ?? false;
  const wasThere = before.some(({ id, isDeleted }) => id === current?.id && !isDeleted);
  const at = `/employees/${index}`;
  const warn = (warning: string): null => {
    warnings.get(index)?.push(warning);
    return null;
  };
  // Unchanged, except that a supervisor whom this import offboards is cleared.
  if (reasons.length > 0) return isCurrentGone && wasThere && !person.isDeleted ? null : person.supervisor;
  if (record.reports_to_id === null) return null;
  if (record.reports_to_id === undefined) return isCurrentGone ? warn(`supervisor_offboarded ${at}`) : person.supervisor;
  const named = personNamed(record.reports_to_id, people);
  if (named === undefined) {
    const isRemoved = people.some(({ importId }) => importId === record.reports_to_id);
    return warn(`${isRemoved ? 'supervisor_offboarded' : 'supervisor_unknown'} ${at}/reports_to_id`);
  }
  return named.id === person.id ? warn(`supervisor_is_self ${at}/reports_to_id`) : named.id;
}

// The pointer of reports_to_id when the record sends it, else of the record.
function supervisorPointer(index: number, record: Line['record']): string {
  return `/employees/${index}${record.reports_to_id === undefined ? '' : '/reports_to_id'}`;
}

// Import-API employees first, then others; never a deleted one (rules IMPORT-SUPERVISORS-5 and
// IMPORT-SUPERVISORS-6).
function personNamed(importId: string, people: readonly Person[]): Person | undefined {
  const candidates = people.filter((person) => person.importId === importId && !person.isDeleted);
  const byId = (a: Person, b: Person): number => a.id - b.id;
  return candidates.find(({ createdVia }) => createdVia === 'import_api') ?? candidates.toSorted(byId)[0];
}

// Walking up from an employee on a cycle returns to that employee. Deleted employees end the walk.
function isOnCycle(importId: string, people: readonly Person[]): boolean {
  const start = people.find((person) => person.createdVia === 'import_api' && person.importId === importId);
  let at = start;
  for (let steps = 0; steps <= people.length; steps++) {
    const above = at?.supervisor;
    at = people.find(({ id, isDeleted }) => id === above && !isDeleted);
    if (at === undefined) return false;
    if (at === start) return true;
  }
  return false;
}
