import { applyByEmployee, type EmployeeDeferral } from '@survey/facts/apply-by-employee.ts';
import type { ApplyFacts } from '@survey/facts/fact.ts';
import { lockAssignments, saveAssignments } from '../sql/save-assignments.ts';

export const DEFERRED_ASSIGNMENTS: EmployeeDeferral<'assignment'> = {
  schema: 'export',
  kind: 'assignment',
  table: 'export.assignment',
  idType: 'bigint',
  takesOptions: false,
};

/**
 * Writes assignments and their counts. Assignments of employees that no import has created yet are
 * deferred.
 */
export const applyAssignments: ApplyFacts<'assignment'> = async (tx, accountId, facts) => {
  await lockAssignments(tx, accountId);
  return applyByEmployee(tx, accountId, DEFERRED_ASSIGNMENTS, facts, (known) => saveAssignments(tx, accountId, known));
};
