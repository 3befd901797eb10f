import { Client } from 'pg';
import { ROLES } from './migrate.ts';

const TIMEOUT_MS = 5_000;

const QUERIES = {
  version: `select version() as version`,
  // Without names of hosts, files and commands.
  settings: `select name, setting, unit from pg_settings
    where source not in ('default', 'override', 'client') and vartype <> 'string' order by name`,
  tables: `select schemaname || '.' || relname as name, n_live_tup as live, n_dead_tup as dead, seq_scan, idx_scan,
      pg_total_relation_size(relid) as bytes, last_autovacuum, last_autoanalyze
    from pg_stat_user_tables order by pg_total_relation_size(relid) desc limit 200`,
  indexes: `select schemaname || '.' || indexrelname as name, idx_scan, pg_relation_size(indexrelid) as bytes
    from pg_stat_user_indexes order by idx_scan desc limit 200`,
  // Without the statements, which may contain values.
  sessions: `select usename as role, application_name, state, wait_event_type, wait_event,
      extract(epoch from clock_timestamp() - xact_start)::float8 as transaction_seconds,
      extract(epoch from clock_timestamp() - query_start)::float8 as statement_seconds,
      cardinality(pg_blocking_pids(pid)) as blocked_by
    from pg_stat_activity where backend_type = 'client backend' and datname = current_database()`,
};

/**
 * Reads sizes, scans, settings, sessions and query plans of a database: no row of a table and no
 * statement.
 * @throws when it cannot be reached or rejects the role
 */
export async function readStatistics(databaseUrl: string): Promise<Record<string, object[]>> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS });
  await client.connect();
  try {
    const read: Record<string, object[]> = {};
    for (const [name, query] of Object.entries(QUERIES)) read[name] = (await client.query<object>(query)).rows;
    read['plans'] = await readStatementPlans(client, ROLES);
    return read;
  } finally {
    await client.end();
  }
}

/**
 * Fields of a plan that are structure or estimates. Conditions are left out: they may contain
 * values.
 */
const FIELDS = ['Node Type', 'Join Type', 'Schema', 'Relation Name', 'Index Name', 'Plan Rows', 'Total Cost'] as const;
const MAX_STATEMENTS = 40;

// What the services' sessions run or ran last, the running ones first, those since longest before.
const STATEMENTS = `
select usename as role, state, query, min(query_start) as started from pg_stat_activity
where usename = any($1::text[]) and datname = current_database() and query ~* '^\\s*(select|with|insert|update|delete)\\y'
group by usename, state, query order by state, started limit ${MAX_STATEMENTS}`;

interface Statement {
  readonly role: string;
  readonly state: string;
  readonly query: string;
  readonly started: Date;
}

type PlanNode = Readonly<Record<string, unknown>> & { readonly Plans?: readonly PlanNode[] };

/**
 * Returns the generic plans of the statements in the sessions of roles, without the statements and
 * without values. PostgreSQL truncates long statements: their plan is an error code.
 */
async function readStatementPlans(client: Client, roles: readonly string[]): Promise<object[]> {
  const { rows } = await client.query<Statement>(STATEMENTS, [roles]);
  await client.query(`set plan_cache_mode = force_generic_plan; set default_transaction_read_only = on`);
  const plans: object[] = [];
  for (const [index, { query, ...statement }] of rows.entries()) {
    const plan = await explain(client, `statement_${index}`, query).catch((error: { code?: string }) => ({ error: error.code }));
    plans.push({ ...statement, plan });
  }
  return plans;
}

async function explain(client: Client, name: string, query: string): Promise<object> {
  // A query with a name uses the extended protocol, which rejects a second statement after a
  // semicolon.
  await client.query({ name, text: `prepare ${name}_plan as ${query}` });
  const { rows: prepared } = await client.query<{ count: number }>(
    `select cardinality(parameter_types) as count from pg_prepared_statements where name = $1`,
    [`${name}_plan`],
  );
  const nulls = Array.from({ length: prepared[0]?.count ?? 0 }, () => 'null').join(', ');
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (format json) execute ${name}_plan${nulls === '' ? '' : `(${nulls})`}`,
  );
  const plan = rows[0]?.['QUERY PLAN'][0].Plan;
  return plan === undefined ? {} : withListedFields(plan);
}

function withListedFields(node: PlanNode): object {
  const fields = FIELDS.filter((field) => field in node).map((field) => [field, node[field]]);
  const children = node.Plans === undefined ? [] : [['Plans', node.Plans.map(withListedFields)]];
  return Object.fromEntries([...fields, ...children]) as object;
}
