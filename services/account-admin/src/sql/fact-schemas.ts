// Services that ingest facts; the schema of each has tables of deferred facts and dead letters.
const SCHEMAS = ['export', 'imports', 'scoring', 'text'];

/**
 * Selects the rows of one of those tables from all schemas, with the schema's name as `keeper`.
 * `columns` are columns of the table.
 */
export function selectFromFactSchemas(table: 'deferred_fact' | 'dead_letter', columns: string): string {
  const selects = SCHEMAS.map((schema) => `select '${schema}' as keeper, account_id, ${columns} from ${schema}.${table}`);
  return `(${selects.join(' union all ')}) ${table}`;
}
