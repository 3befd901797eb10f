import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from '@survey/postgres/database.ts';
import { millisecondsOf, percentileOf, type Figure } from '../support/figures.ts';
import { get, type BenchStack } from './bench-stack.ts';
import { surveyctl } from './organisation.ts';
import { importAndWait } from './post-snapshot.ts';
import { fillAccount } from './scores-fill.ts';
import { writeSnapshot } from './snapshot-file.ts';
import { fillTexts } from './texts-fill.ts';

const SMALL = 1_000;
const BETWEEN_LOOKS_MS = 10;

/**
 * Measures the deletion of a large account, its transactions, and pages of another account
 * meanwhile.
 */
export async function measureErasure(bench: BenchStack): Promise<Figure[]> {
  const { pool, stack, isSmoke } = bench;
  const [employees, answers] = isSmoke ? [2_000, 10_000] : [100_000, 1_000_000];
  const staying = await bench.account();
  await importEmployees(bench, staying.write_key, SMALL);
  const leaving = await bench.account();
  await importEmployees(bench, leaving.write_key, employees);
  await fillAccount(pool, answers * 0.8, leaving.account_id);
  await fillTexts(pool, leaving.account_id, answers * 0.2);
  const read = (): Promise<number> => millisecondsOf(() => get(`${stack.gateway_url}/v1/employees?limit=100`, staying.read_key));
  const alone: number[] = [];
  for (let reads = 0; reads < (isSmoke ? 50 : 1_000); reads += 1) alone.push(await read());
  const { seconds, meanwhile, longestMs } = await deleteAndRead(bench, leaving.account_id, read);
  const what = `${employees.toLocaleString('en')} employees and ${answers.toLocaleString('en')} answers`;
  return [
    { what: `deletion of an account with ${what}`, unit: 's', ours: [seconds], goal: { atMost: 180 } },
    { what: 'its longest transaction', unit: 'ms', ours: [longestMs], goal: { atMost: 200 } },
    {
      what: 'p99 of a page of another account meanwhile',
      unit: 'ms',
      ours: [percentileOf(meanwhile, 99)],
      beside: { what: 'before', values: [percentileOf(alone, 99)] },
      goal: { atMost: 2 },
    },
  ];
}

async function importEmployees(bench: BenchStack, writeKey: string, employees: number): Promise<void> {
  const file = join(bench.folder, `${employees}.gz`);
  await writeSnapshot(file, employees);
  await importAndWait(bench, writeKey, file);
}

async function deleteAndRead(bench: BenchStack, accountId: number, read: () => Promise<number>) {
  const meanwhile: number[] = [];
  let longestMs = 0;
  let isFinished = false;
  const reading = async (): Promise<void> => {
    while (!isFinished) meanwhile.push(await read());
  };
  const watching = async (): Promise<void> => {
    while (!isFinished) {
      longestMs = Math.max(longestMs, await longestDeletion(bench.pool));
      await sleep(BETWEEN_LOOKS_MS);
    }
  };
  const deleting = async (): Promise<number> => {
    const account = ['--account', String(accountId)];
    await surveyctl(bench, 'account', 'delete', ...account, '--confirm', 'Demo', '--force');
    await surveyctl(bench, 'account', 'deletion', 'watch', ...account);
    isFinished = true;
    return secondsOf(bench.pool, accountId);
  };
  const [seconds] = await Promise.all([deleting(), reading(), watching()]);
  if (longestMs === 0) throw new Error('cannot find the transactions of the deletion');
  return { seconds, meanwhile, longestMs };
}

// A transaction holds its locks until it ends.
async function longestDeletion(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ ms: number }>(
    `select coalesce(max(extract(epoch from clock_timestamp() - xact_start)) * 1000, 0)::float8 as ms
     from pg_stat_activity where state <> 'idle' and query ~ '^(delete from \\w+\\.\\w+ where account_id|insert into \\w+\\.deleted_rows)'`,
  );
  return rows[0]?.ms ?? 0;
}

async function secondsOf(pool: Pool, accountId: number): Promise<number> {
  const { rows } = await pool.query<{ seconds: number }>(
    `select extract(epoch from finished_at - requested_at)::float8 as seconds from admin.account_deletion where account_id = $1`,
    [accountId],
  );
  return rows[0]?.seconds ?? Number.NaN;
}
