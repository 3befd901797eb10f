import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { operatorAt } from '../support/accounts.ts';
import type { Figure } from '../support/figures.ts';
import { processorSecondsWhile } from '../support/processor-time.ts';
import type { BenchStack } from './bench-stack.ts';
import { postSnapshot } from './post-snapshot.ts';
import { writeSnapshot } from './snapshot-file.ts';

const EMPLOYEES = 200;
const CONCURRENT_UPLOADS = 30;
const POLL_MS = 100;

/** Measures the processor time of all services and stores for imports of many small accounts. */
export async function measureSmallImports(bench: BenchStack): Promise<Figure[]> {
  const accounts = bench.isSmoke ? 10 : 300;
  const [plain, changed] = [join(bench.folder, 'small.gz'), join(bench.folder, 'small-changed.gz')];
  await writeSnapshot(plain, EMPLOYEES);
  await writeSnapshot(changed, EMPLOYEES, 100);
  using operator = operatorAt(bench.stack.account_admin_address);
  const keys: string[] = [];
  for (let nth = 0; nth < accounts; nth += 1) keys.push((await operator.createAccount()).writeKey);
  const measure = async (name: string, file: string, goal?: number): Promise<Figure> => ({
    what: `${accounts} accounts with ${EMPLOYEES} employees, ${name}`,
    unit: 'employees/s of CPU',
    ours: [(accounts * EMPLOYEES) / (await processorSecondsWhile(() => importAll(bench, keys, file)))],
    ...(goal !== undefined && { goal: { atLeast: goal } }),
  });
  return [await measure('first', plain, 1_800), await measure('unchanged', plain), await measure('with 1 % changed', changed)];
}

async function importAll({ stack, pool }: BenchStack, keys: readonly string[], file: string): Promise<void> {
  const left = [...keys];
  const uploadAll = async (): Promise<void> => {
    for (let key = left.pop(); key !== undefined; key = left.pop())
      await postSnapshot(`${stack.gateway_url}/v1/employees/imports`, key, file);
  };
  await Promise.all(Array.from({ length: CONCURRENT_UPLOADS }, uploadAll));
  while ((await pool.query('select from imports.import where finished_at is null limit 1')).rowCount !== 0) await sleep(POLL_MS);
}
