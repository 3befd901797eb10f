/**
 * Returns SQL for the issues in a column of imports.record_result, with the other employee and the
 * values that they are about. Only ids are stored, so that nothing of an erased employee remains.
 * @param accountId SQL for the account
 */
export function issuesOf(column: string, accountId: string): string {
  return `case when ${column} = '[]' then '[]' else (
    select jsonb_agg(issue || jsonb_strip_nulls(jsonb_build_object(
      'import_id', (
        select o.import_id from imports.employee o
        where o.account_id = ${accountId} and o.id = (issue ->> 'employee_id')::bigint and o.created_via = 'import_api'),
      'is_managed_elsewhere', (
        select true from imports.employee o
        where o.account_id = ${accountId} and o.id = (issue ->> 'employee_id')::bigint and o.created_via <> 'import_api'),
      'values', (
        select jsonb_agg(o.name order by o.id) from imports.attribute_option o
        where o.account_id = ${accountId} and o.id in (select value::integer from jsonb_array_elements_text(issue -> 'option_ids')))
    )) order by nth)
    from jsonb_array_elements(${column}) with ordinality issues (issue, nth)) end`;
}
