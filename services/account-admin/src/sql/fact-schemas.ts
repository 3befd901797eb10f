// The services that take facts: each keeps in its schema those that wait, and those that can never be applied.
const SCHEMAS = ['export', 'imports', 'scoring', 'text'];

/** All of their rows in one of those tables, with the name of the schema as `keeper`. `columns` are of the table. */
export function selectFromFactSchemas(table: 'deferred_fact' | 'dead_letter', columns: string): string {
  const selects = SCHEMAS.map((schema) => `select '${schema}' as keeper, account_id, ${columns} from ${schema}.${table}`);
  return `(${selects.join(' union all ')}) ${table}`;
}
