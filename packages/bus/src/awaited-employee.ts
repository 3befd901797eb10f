/** An employee as a fact refers to them. */
export type NamedEmployee = { readonly employeeId: number } | { readonly importId: string };

/** Returns the value of deferred_fact.missing_object for the employee. */
export function awaitedEmployee(named: NamedEmployee): string {
  return 'employeeId' in named ? `employee ${named.employeeId}` : `import_id ${named.importId}`;
}

/**
 * Returns SQL for the rows of a table deferred_fact whose employees exist: responses of the account
 * $1, at most $2. Skips employees with pending edits, such as after an import, because their
 * attributes are not final.
 */
export function readyResponsesOf(table: 'scoring.deferred_fact' | 'text.deferred_fact'): string {
  const waiting = `select w.fact, w.revision, w.digest, w.source, w.line from ${table} w join imports.employee e on e.account_id = w.account_id`;
  const edit = `select from imports.deferred_fact f where f.account_id = e.account_id and f.kind = 'edit'`;
  const ofAccount = `w.account_id = $1::bigint and w.kind = 'response' and not exists (${edit} and f.employee_id = e.id)
      and not exists (${edit} and e.created_via = 'import_api' and f.employee_import_id = e.import_id)`;
  return `
    ${waiting} and e.id = case when w.missing_object like 'employee %' then substr(w.missing_object, 10)::bigint end
    where ${ofAccount}
    union all
    ${waiting} and e.created_via = 'import_api' and e.import_id = substr(w.missing_object, 11)
    where ${ofAccount} and w.missing_object like 'import_id %'
    limit $2`;
}
