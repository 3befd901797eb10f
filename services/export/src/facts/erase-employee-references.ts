import { randomUUID } from 'node:crypto';
import type { Erasure } from '@survey/bus/employee-erasure.ts';
import { deleteFactsOfErased } from '@survey/bus/facts/deferred-facts.ts';
import { allowLongStatements, inAccount, type Pool, type Client } from '@survey/postgres/database.ts';
import { deleteAssignmentsOf, lockAssignments } from './assignments.ts';
import { renewVersion, applyToTable } from './apply-to-table.ts';
import type { EmployeeReference } from '@survey/bus/lines/values.ts';
import { employeeKey, findEmployees } from '@survey/bus/facts/employees.ts';
import type { ApplyFacts } from '@survey/bus/facts/fact.ts';
import { INITIATIVES, SURVEYS } from './fact-tables.ts';

// No index has the employees, so a statement reads all rows of the account.
const MAX_STATEMENT_MS = 60_000;

// $2: id, $3: import_id or null.
const REFERENCES = [
  `update export.initiative set
     creator_id = case when creator_id <> $2::bigint then creator_id end,
     creator_import_id = case when creator_import_id is distinct from $3::text then creator_import_id end,
     assignee_id = case when assignee_id <> $2::bigint then assignee_id end,
     assignee_import_id = case when assignee_import_id is distinct from $3::text then assignee_import_id end
   where account_id = $1::bigint
     and ($2::bigint in (creator_id, assignee_id) or $3::text in (creator_import_id, assignee_import_id))`,
  `update export.survey set access_employee_ids = array_remove(access_employee_ids, $2::bigint),
     access_import_ids = array_remove(access_import_ids, $3::text)
   where account_id = $1::bigint and ($2::bigint = any(access_employee_ids) or $3::text = any(access_import_ids))`,
];

/** Deletes an employee's assignments, and the references to the employee from other objects. */
export const eraseEmployee =
  (pool: Pool) =>
  (erasure: Erasure): Promise<undefined> =>
    inAccount(pool, erasure.accountId, async (tx) => {
      const { accountId, employeeId, importId } = erasure;
      await allowLongStatements(tx, MAX_STATEMENT_MS);
      await lockAssignments(tx, accountId);
      await deleteFactsOfErased(tx, 'export', erasure);
      await deleteAssignmentsOf(tx, accountId, employeeId);
      for (const statement of REFERENCES) await tx.query(statement, [accountId, employeeId, importId]);
      for (const list of ['assignment', 'initiative', 'survey'])
        await tx.query(renewVersion(list, '$2'), [accountId, randomUUID()]);
      return undefined;
    });

const saveInitiatives = applyToTable(INITIATIVES);
const saveSurveys = applyToTable(SURVEYS);

/** Stores initiatives without erased creators and assignees (rule DATA-ERASURE-3). */
export const applyInitiatives: ApplyFacts<'initiative'> = async (tx, accountId, facts) => {
  const references = facts.flatMap(({ content: { creator, assignee } }) => [creator, assignee].filter((one) => one != null));
  const isErased = await findErased(tx, accountId, references);
  const unlessErased = (one: EmployeeReference | null | undefined): EmployeeReference | null =>
    one == null || isErased(one) ? null : one;
  const withoutErased = facts.map(({ content, ...fact }) => {
    return { ...fact, content: { ...content, creator: unlessErased(content.creator), assignee: unlessErased(content.assignee) } };
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
