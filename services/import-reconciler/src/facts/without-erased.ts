import type { EmployeeReference } from '@survey/bus/lines/values.ts';
import type { RejectedFact } from '@survey/bus/facts/fact.ts';
import type { Client } from '@survey/postgres/database.ts';
import type { EmployeeFact } from '../rules/employee-fact.ts';
import { findErased, hasErasedEmployees, type NamedEmployee } from '../erasure/find-erased.ts';

/**
 * Separates facts about erased employees, which are rejected, and removes erased supervisors from
 * the others (rule DATA-ERASURE-3). Needs the account's lock.
 */
export async function withoutErased(
  tx: Client,
  accountId: number,
  facts: readonly EmployeeFact[],
): Promise<{ kept: readonly EmployeeFact[]; erased: RejectedFact[] }> {
  if (!(await hasErasedEmployees(tx, accountId))) return { kept: facts, erased: [] };
  const subjects = await findErased(tx, accountId, facts.map(namedBy));
  const supervisors = await findErased(
    tx,
    accountId,
    facts.map(({ supervisor }) => (supervisor == null ? {} : named(supervisor))),
  );
  const supervised = facts.map((fact, index) => (supervisors.has(index) ? { ...fact, supervisor: null } : fact));
  return {
    kept: supervised.filter((_, index) => !subjects.has(index)),
    erased: facts.flatMap((incoming, index) => (subjects.has(index) ? { incoming, reason: 'the employee is erased' } : [])),
  };
}

const named = (reference: EmployeeReference): NamedEmployee =>
  'id' in reference ? { id: reference.id } : { importId: reference.import_id };

function namedBy({ employee, fullEmployee, fields }: EmployeeFact): NamedEmployee {
  const importId = fullEmployee?.created_via === 'import_api' ? fullEmployee.import_id : null;
  return {
    ...(importId !== null && { importId }),
    ...named(employee),
    ...(fields.email !== undefined && { email: fields.email }),
  };
}
