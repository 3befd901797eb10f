import type { Client } from 'pg';

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
export async function readStatementPlans(client: Client, roles: readonly string[]): Promise<object[]> {
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
  const kept = FIELDS.filter((field) => field in node).map((field) => [field, node[field]]);
  const children = node.Plans === undefined ? [] : [['Plans', node.Plans.map(withListedFields)]];
  return Object.fromEntries([...kept, ...children]) as object;
}
