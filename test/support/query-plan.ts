import { escapeLiteral, type Pool, type PoolClient } from 'pg';
import { z } from 'zod';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}
const explained = z.tuple([
  z.object({ 'QUERY PLAN': z.tuple([z.object({ Plan: z.custom<PlanNode>((plan) => typeof plan === 'object') })]) }),
]);

interface ExecutedPlan {
  // Blocks of 8 KiB read from the cache or the disk.
  readonly blocks: number;
  // Rows of the table.
  readonly scans: readonly PlanNode[];
}

/**
 * Runs a service's SQL statement with its role, row-level security included, and returns the plan.
 * `table` has no schema.
 */
export function planOf(
  db: Pool,
  accountId: number,
  statement: string,
  values: readonly unknown[],
  table: string,
  role = 'survey_export',
): Promise<ExecutedPlan> {
  return asRole(db, accountId, role, (client) => explain(client, statement, values, table));
}

/** As planOf, with the plan that connections of export keep for all values. */
export function keptPlanOf(
  db: Pool,
  accountId: number,
  statement: string,
  values: readonly number[],
  table: string,
): Promise<ExecutedPlan> {
  return asRole(db, accountId, 'survey_export', async (client) => {
    await client.query(`set local plan_cache_mode = force_generic_plan; prepare kept as ${statement}`);
    const plan = await explain(client, `execute kept (${values.join(', ')})`, [], table);
    await client.query('deallocate kept');
    return plan;
  });
}

interface PreparedStatement {
  readonly accountId: number;
  readonly role: string;
  readonly sql: string;
  // Returns a value for each parameter.
  readonly valuesOf: (types: readonly string[]) => readonly unknown[];
  readonly plans: 'custom' | 'generic';
}

/**
 * Runs a service's statement with its role and returns the rows that its plan reads from tables,
 * with those that it compares and discards. Rows that it discards in a table of a few blocks do not
 * count, because an index would read as many blocks. Repeated scans of an index whose condition
 * leaves out one of its first columns count as infinite: they read entries that they do not show.
 */
export function rowsRead(db: Pool, { accountId, role, sql, valuesOf, plans }: PreparedStatement): Promise<number> {
  return asRole(db, accountId, role, async (client) => {
    await client.query(`set local plan_cache_mode = force_${plans}_plan; set local statement_timeout = '100s'`);
    await client.query(`prepare planned as ${sql}`);
    try {
      const { rows: types } = await client.query<{ type: string }>(
        `select unnest(parameter_types)::text as type from pg_prepared_statements where name = 'planned'`,
      );
      const values = valuesOf(types.map(({ type }) => type));
      const list = values.length === 0 ? '' : `(${values.map(literal).join(', ')})`;
      const plan = await explainPlan(client, `execute planned ${list}`, []);
      const { rows: relations } = await client.query<Relation>(RELATIONS, [namesIn(plan)]);
      return rowsOf(plan, {
        tiny: new Set(relations.filter(({ isTiny }) => isTiny).map(({ name }) => name)),
        indexes: new Map(relations.map(({ name, columns }) => [name, columns])),
      });
    } finally {
      await client.query('rollback; deallocate planned');
    }
  });
}

interface Relation {
  readonly name: string;
  readonly isTiny: boolean;
  // Columns of an index.
  readonly columns: readonly string[];
}

const RELATIONS = `
select relname as name, pg_relation_size(c.oid) <= 8 * 8192 as "isTiny", array(
  select pg_get_indexdef(indexrelid, k, true) from pg_index, generate_series(1, indnkeyatts) k where indexrelid = c.oid) as columns
from pg_class c where relname = any($1)`;
const FEW_SCANS = 10;

interface KnownRelations {
  readonly tiny: ReadonlySet<string>;
  readonly indexes: ReadonlyMap<string, readonly string[]>;
}

function namesIn({ 'Relation Name': table, 'Index Name': index, Plans: inner = [] }: PlanNode): (string | undefined)[] {
  return [table, index, ...inner.flatMap(namesIn)];
}

function rowsOf(node: PlanNode, known: KnownRelations): number {
  if (node['Actual Loops'] > FEW_SCANS && leavesOutColumns(node, known)) return Infinity;
  const table = node['Relation Name'];
  const isTiny = table !== undefined && known.tiny.has(table);
  const discarded = isTiny ? 0 : DISCARDED.reduce((sum, name) => sum + (node[name] ?? 0), 0);
  const own = ((table === undefined ? 0 : node['Actual Rows']) + discarded) * node['Actual Loops'];
  return (node.Plans ?? []).reduce((sum, inner) => sum + rowsOf(inner, known), node['Node Type'] === 'ModifyTable' ? 0 : own);
}

function leavesOutColumns(node: PlanNode, { tiny, indexes }: KnownRelations): boolean {
  const { 'Index Name': index = '', 'Index Cond': condition = '', 'Relation Name': table = '' } = node;
  if (tiny.has(table) || tiny.has(index)) return false;
  const isBound = (column: string): boolean => new RegExp(`\\b${column.split(' ')[0]}\\b`).test(condition);
  const bound = (indexes.get(index) ?? []).map(isBound);
  return bound.includes(true) && bound.lastIndexOf(true) > bound.indexOf(false) && bound.includes(false);
}

const DISCARDED = ['Rows Removed by Filter', 'Rows Removed by Join Filter', 'Rows Removed by Index Recheck'] as const;

function literal(value: unknown): string {
  if (value === null) return 'null';
  if (!Array.isArray(value)) return escapeLiteral(typeof value === 'string' ? value : JSON.stringify(value));
  const items = value.map((item) => {
    if (item === null) return 'null';
    return JSON.stringify(Buffer.isBuffer(item) ? `\\x${item.toString('hex')}` : String(item));
  });
  return escapeLiteral(`{${items.join()}}`);
}

async function asRole<T>(db: Pool, accountId: number, role: string, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await db.connect();
  try {
    await client.query(`begin; set local role ${role}`);
    await client.query(`select set_config('survey.account_id', $1, true)`, [String(accountId)]);
    return await work(client);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

async function explain(client: PoolClient, statement: string, values: readonly unknown[], table: string): Promise<ExecutedPlan> {
  const plan = await explainPlan(client, statement, values);
  return { blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], scans: scansOf(plan, table) };
}

async function explainPlan(client: PoolClient, statement: string, values: readonly unknown[]): Promise<PlanNode> {
  const { rows } = await client.query(`explain (analyze, timing off, buffers, format json) ${statement}`, [...values]);
  const [
    {
      'QUERY PLAN': [{ Plan: plan }],
    },
  ] = explained.parse(rows);
  return plan;
}

function scansOf(node: PlanNode, table: string): PlanNode[] {
  const own = node['Relation Name'] === table ? [node] : [];
  return [...own, ...(node.Plans ?? []).flatMap((inner) => scansOf(inner, table))];
}
