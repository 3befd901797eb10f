import type { EmployeeReference } from '@survey/bus/lines/values.ts';
import { employeeKey, findEmployees } from '@survey/bus/facts/employees.ts';
import type { ApplyFacts } from '@survey/bus/facts/fact.ts';
import type { Client } from '@survey/postgres/database.ts';
import { lockAssignments } from './assignments.ts';
import { applyToTable } from './apply-to-table.ts';
import { INITIATIVES, SURVEYS } from './fact-tables.ts';

const saveInitiatives = applyToTable(INITIATIVES);
const saveSurveys = applyToTable(SURVEYS);

/** Stores initiatives without erased creators and assignees (rule DATA-ERASURE-3). */
export const applyInitiatives: ApplyFacts<'initiative'> = async (tx, accountId, facts) => {
  const references = facts.flatMap(({ content: { creator, assignee } }) => [creator, assignee].filter((one) => one != null));
  const isErased = await findErased(tx, accountId, references);
  const keep = (one: EmployeeReference | null | undefined): EmployeeReference | null =>
    one == null || isErased(one) ? null : one;
  const withoutErased = facts.map(({ content, ...fact }) => {
    return { ...fact, content: { ...content, creator: keep(content.creator), assignee: keep(content.assignee) } };
  });
  return saveInitiatives(tx, accountId, withoutErased);
};

/** Stores surveys without erased employees among those who may see their results. */
export const applySurveys: ApplyFacts<'survey'> = async (tx, accountId, facts) => {
  const accessOf = ({ content }: (typeof facts)[number]) => content.permissions.employees_with_access_to_results;
  const referenceOf = (one: number | EmployeeReference): EmployeeReference => (typeof one === 'number' ? { id: one } : one);
  const isErased = await findErased(tx, accountId, facts.flatMap(accessOf).map(referenceOf));
  const withoutErased = facts.map((fact) => {
    const access = accessOf(fact).filter((one) => !isErased(referenceOf(one)));
    return { ...fact, content: { ...fact.content, permissions: { employees_with_access_to_results: access } } };
  });
  return saveSurveys(tx, accountId, withoutErased);
};

// Erasing takes the same lock: a reference is found here or deleted there.
async function findErased(
  tx: Client,
  accountId: number,
  references: readonly EmployeeReference[],
): Promise<(one: EmployeeReference) => boolean> {
  await lockAssignments(tx, accountId);
  const employees = await findEmployees(tx, accountId, references);
  return (one) => employees.get(employeeKey(one))?.isErased === true;
}
