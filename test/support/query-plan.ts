import type { Pool, PoolClient } from 'pg';
import { z } from 'zod';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
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
  const { rows } = await client.query(`explain (analyze, buffers, format json) ${statement}`, [...values]);
  const [
    {
      'QUERY PLAN': [{ Plan: plan }],
    },
  ] = explained.parse(rows);
  return { blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], scans: scansOf(plan, table) };
}

function scansOf(node: PlanNode, table: string): PlanNode[] {
  const own = node['Relation Name'] === table ? [node] : [];
  return [...own, ...(node.Plans ?? []).flatMap((inner) => scansOf(inner, table))];
}
