import type { EmployeeReference } from '../lines/values.ts';
import type { Client } from '@survey/postgres/database.ts';
import type { Fact } from '@survey/proto/intake/v1/intake.ts';
import { deferFacts, type DeferredKind } from './deferred-facts.ts';
import { employeeKey, findEmployees, type FoundEmployee } from './employees.ts';
import { type IncomingFact, type RejectedFact, latestByKey } from './fact.ts';

/** How facts of a kind that refer to employees are deferred. */
export interface EmployeeDeferral<K extends 'assignment' | 'response'> extends DeferredKind<K> {
  // Table of the objects that the facts are about.
  readonly table: string;
  readonly idType: 'bigint' | 'uuid';
  // Applying a fact takes the employee's options: it is deferred until the employee exists and has
  // no pending edits. Without options, only an import_id that is not known yet defers it.
  readonly takesOptions: boolean;
  // The part of a deferred fact that this service may store.
  readonly storedPart?: (fact: Fact) => Fact;
}

interface FactOfEmployee extends IncomingFact {
  readonly content: { readonly id: string | number; readonly employee: EmployeeReference };
}

/**
 * Calls `write` with the newest fact per object whose employee exists, and defers the facts of
 * unknown employees. Returns the facts of erased employees (rule DATA-ERASURE-3). The result does
 * not depend on the order of the facts. Needs the lock that erasing an employee takes.
 */
export async function applyByEmployee<F extends FactOfEmployee>(
  tx: Client,
  accountId: number,
  deferral: EmployeeDeferral<'assignment' | 'response'>,
  facts: readonly F[],
  write: (facts: readonly (F & { readonly employee: FoundEmployee })[]) => Promise<void>,
): Promise<RejectedFact[]> {
  const { takesOptions, storedPart = (fact) => fact } = deferral;
  const references = facts.map(({ content }) => content.employee);
  const employees = await findEmployees(tx, accountId, references);
  const erasedFacts: RejectedFact[] = [];
  const matchedFacts: (F & { employee: FoundEmployee })[] = [];
  const unmatchedFacts: F[] = [];
  for (const fact of facts) {
    const reference = fact.content.employee;
    const presumedEmployee =
      takesOptions || !('id' in reference) ? undefined : { id: reference.id, optionIds: [], isErased: false };
    const employee = employees.get(employeeKey(reference)) ?? presumedEmployee;
    if (employee === undefined) unmatchedFacts.push(fact);
    else if (employee.isErased) erasedFacts.push({ incoming: fact, reason: 'employee_erased' });
    else matchedFacts.push({ ...fact, employee });
  }
  await write(latestByKey(matchedFacts, ({ content }) => content.id));
  const deferredFacts = latestByKey(unmatchedFacts, ({ content: { id, employee } }) => `${id} ${employeeKey(employee)}`).map(
    (incoming) => ({
      objectId: incoming.content.id,
      missingObject: employeeKey(incoming.content.employee),
      incoming: { ...incoming, fact: storedPart(incoming.fact) },
    }),
  );
  await deferFacts(tx, accountId, deferral, deferredFacts);
  const ids = facts.map(({ content }) => content.id);
  await deleteSuperseded(tx, accountId, deferral, ids);
  return erasedFacts;
}

// Deletes deferred facts about these objects that were applied, or are older than the applied ones.
async function deleteSuperseded(
  tx: Client,
  accountId: number,
  { schema, kind, table, idType }: EmployeeDeferral<'assignment' | 'response'>,
  ids: readonly (string | number)[],
): Promise<void> {
  await tx.query(
    // By ctid and with "offset 0": one index lookup per id, as in employees.ts.
    `delete from ${schema}.deferred_fact where account_id = $1::bigint and ctid = any(array(
       select w.ctid
       from unnest($3::text[]) as about (id) cross join lateral (
         select w.ctid, w.revision, w.digest from ${schema}.deferred_fact w
         where w.account_id = $1::bigint and w.kind = $2 and w.object_id = about.id offset 0
       ) w
       where (w.revision, w.digest) <= (
         select o.revision, o.digest from ${table} o where o.account_id = $1::bigint and o.id = about.id::${idType}
       )
     ))`,
    [accountId, kind, ids],
  );
}
