import type { ApplyFacts, RejectedFact } from '@survey/bus/facts/fact.ts';
import type { EmployeeReference } from '@survey/bus/lines/values.ts';
import type { Client } from '@survey/postgres/database.ts';
import { findErased, hasErasedEmployees, type NamedEmployee } from '../erasure/find-erased.ts';
import { type EmployeeFact, parseEmployeeFact } from '../rules/employee-fact.ts';
import { AccountBusyError, lockForFacts } from '../tables/account-lock.ts';
import {
  deferFacts,
  deferredFactKey,
  doFewWait,
  waitingForAddress,
  applyDeferredFacts,
  scheduleRetry,
} from './deferred-employee-facts.ts';
import { writeFacts } from './write-facts.ts';

// Time during which an account's facts are redelivered without waiting for its lock; each wait
// would block a slot that other accounts need.
const RETRY_AFTER_MS = 5_000;

/**
 * Creates the handler of employee facts: full employees and edits. Edits of unknown employees are
 * deferred.
 * A fact whose address belongs to another active employee is rejected and also deferred, because it
 * may have overtaken the fact that frees the address.
 */
export function createEmployeeFactHandler(): ApplyFacts<'employee', readonly RejectedFact[]> {
  const busyUntil = new Map<number, number>();
  return async (tx, accountId, facts) => {
    if ((busyUntil.get(accountId) ?? 0) > performance.now()) throw new AccountBusyError('an import of the account is running');
    busyUntil.delete(accountId);
    const account = await lockForFacts(tx, accountId).catch((error: unknown) => {
      if (error instanceof AccountBusyError) busyUntil.set(accountId, performance.now() + RETRY_AFTER_MS);
      throw error;
    });
    const { applicable, erased } = await withoutErased(tx, accountId, facts.map(parseEmployeeFact));
    const { unknown, rejected, refused, changedIds } = await writeFacts(tx, account, applicable);
    await deferFacts(tx, accountId, 'edit', unknown);
    await deferFacts(tx, accountId, 'address', rejected);
    const ids = [...applicable.flatMap(({ employee }) => ('id' in employee ? employee.id : [])), ...changedIds];
    await applyDeferredFacts(tx, account, (await doFewWait(tx, accountId)) ? undefined : new Set(ids));
    await scheduleRetry(tx, accountId);
    const deadLetters = [...erased, ...refused.map((incoming) => ({ incoming, reason: 'too_many_values' as const }))];
    if (rejected.length === 0) return deadLetters;
    const waitingKeys = await waitingForAddress(tx, accountId, rejected.map(deferredFactKey));
    const stillRejected = rejected.filter((fact) => waitingKeys.has(deferredFactKey(fact)));
    return [...deadLetters, ...stillRejected.map((incoming) => ({ incoming, reason: 'email_taken' as const }))];
  };
}

/**
 * Separates facts about erased employees, which are rejected, and removes erased supervisors from
 * the others (rule DATA-ERASURE-3). Needs the account's lock.
 */
async function withoutErased(
  tx: Client,
  accountId: number,
  facts: readonly EmployeeFact[],
): Promise<{ applicable: readonly EmployeeFact[]; erased: RejectedFact[] }> {
  if (!(await hasErasedEmployees(tx, accountId))) return { applicable: facts, erased: [] };
  const subjects = await findErased(tx, accountId, facts.map(employeeNamedBy));
  const supervisors = await findErased(
    tx,
    accountId,
    facts.map(({ supervisor }) => (supervisor == null ? {} : toNamedEmployee(supervisor))),
  );
  const supervised = facts.map((fact, index) => (supervisors.has(index) ? { ...fact, supervisor: null } : fact));
  return {
    applicable: supervised.filter((_, index) => !subjects.has(index)),
    erased: facts.flatMap((incoming, index) => (subjects.has(index) ? { incoming, reason: 'employee_erased' as const } : [])),
  };
}

const toNamedEmployee = (reference: EmployeeReference): NamedEmployee =>
  'id' in reference ? { id: reference.id } : { importId: reference.import_id };

function employeeNamedBy({ employee, fullEmployee, fields }: EmployeeFact): NamedEmployee {
  const importId = fullEmployee?.created_via === 'import_api' ? fullEmployee.import_id : null;
  return {
    ...(importId !== null && { importId }),
    ...toNamedEmployee(employee),
    ...(fields.email !== undefined && { email: fields.email }),
  };
}
