import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';

/** What auto_explain wrote about one statement. */
interface ExecutedPlan {
  readonly 'Query Text': string;
  readonly Plan: PlanNode;
}

interface PlanNode {
  readonly Schema?: string | undefined;
  readonly 'Relation Name'?: string | undefined;
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number | undefined;
  readonly Plans?: readonly PlanNode[] | undefined;
}

const planNode: z.ZodType<PlanNode> = z.object({
  Schema: z.string().optional(),
  'Relation Name': z.string().optional(),
  'Node Type': z.string(),
  'Actual Rows': z.number(),
  'Actual Loops': z.number(),
  'Rows Removed by Filter': z.number().optional(),
  get Plans() {
    return z.array(planNode).optional();
  },
});
const executedPlan = z.object({ 'Query Text': z.string(), Plan: planNode });

/** The plans that the server's log holds from this byte on: each begins on a line that ends in "plan:", and goes on with a tab. */
export async function executedPlans(logFile: string, fromByte: number): Promise<ExecutedPlan[]> {
  const plans: ExecutedPlan[] = [];
  let lines: string[] | undefined;
  const close = (): void => {
    if (lines !== undefined) plans.push(executedPlan.parse(JSON.parse(lines.join('\n'))));
    lines = undefined;
  };
  for await (const line of createInterface({ input: createReadStream(logFile, { start: fromByte }) })) {
    if (line.startsWith('\t')) lines?.push(line);
    else {
      close();
      if (line.endsWith('plan:')) lines = [];
    }
  }
  close();
  return plans;
}

export interface Scan {
  readonly statement: string;
  readonly how: string;
  // With its schema.
  readonly table: string;
  // Those that were looked at and not wanted included.
  readonly rows: number;
}

/** Every table that a statement has read, and how many of its rows. */
export function scansOf({ 'Query Text': statement, Plan: root }: ExecutedPlan): Scan[] {
  const scans: Scan[] = [];
  const visit = (node: PlanNode): void => {
    const rows = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
    if (node['Relation Name'] !== undefined && node.Schema !== undefined)
      scans.push({ statement, how: node['Node Type'], table: `${node.Schema}.${node['Relation Name']}`, rows });
    for (const inner of node.Plans ?? []) visit(inner);
  };
  visit(root);
  return scans;
}
