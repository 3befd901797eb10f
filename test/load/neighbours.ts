import { join } from 'node:path';
import { createDemoAccount } from '@survey/local/demo-account.ts';
import { inTransaction, type Pool } from '@survey/postgres/database.ts';
import type { Figure } from '../support/figures.ts';
import type { BenchStack } from './bench-stack.ts';
import { importAndWait } from './post-snapshot.ts';
import { fillAccount } from './scores-fill.ts';
import { writeSnapshot } from './snapshot-file.ts';
import { fillTexts } from './texts-fill.ts';

interface Neighbours {
  // Employees of each large account.
  readonly large: readonly number[];
  readonly small: number;
}

const FULL: Neighbours = { large: [30_000, 60_000, 120_000, 300_000], small: 2_000 };
const SMOKE: Neighbours = { large: [200, 400], small: 10 };
const SMALL_EMPLOYEES = 200;
const ANSWERS_PER_EMPLOYEE = 10;
const CYCLES = 48;

/**
 * Adds the accounts that a service in use has: four large ones and 2,000 small ones, with
 * employees, answers and texts. The statistics know them, so that a new account looks rare.
 */
export async function addNeighbours(bench: BenchStack): Promise<void> {
  const { large, small } = bench.isSmoke ? SMOKE : FULL;
  for (const employees of large) await fillOne(bench, employees);
  await copyAccount(bench.pool, await fillOne(bench, SMALL_EMPLOYEES), small - 1);
  await bench.pool.query('vacuum analyze');
}

async function fillOne({ stack, pool, folder, ...bench }: BenchStack, employees: number): Promise<number> {
  const account = await createDemoAccount(stack.account_admin_address);
  const file = join(folder, `neighbour-${employees}.gz`);
  await writeSnapshot(file, employees);
  await importAndWait({ stack, pool, folder, ...bench }, account.write_key, file);
  await fillAccount(pool, employees * ANSWERS_PER_EMPLOYEE, account.account_id);
  await fillTexts(pool, account.account_id, employees, CYCLES);
  return account.account_id;
}

// Tables whose rows belong to one account by their keys, so that copies do not collide; null: all.
const TABLES = `
select c.oid::regclass::text as name, string_agg(quote_ident(a.attname), ', ') as columns
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  and a.attidentity = '' and a.attname <> 'account_id'
where n.nspname in ('imports', 'export', 'scoring', 'text') and c.relkind in ('r', 'p') and not c.relispartition
  and ($1::text[] is null or c.oid::regclass::text = any($1))
  and exists (select from pg_attribute o where o.attrelid = c.oid and o.attname = 'account_id')
  and not exists (
    select from pg_index i join pg_attribute o on o.attrelid = c.oid and o.attname = 'account_id'
    where i.indrelid = c.oid and i.indisunique and o.attnum <> all (i.indkey::smallint[])
  )
group by c.oid`;

/** Copies an account, or only its rows of these tables, to that many new ones. */
export async function copyAccount(
  pool: Pool,
  accountId: number,
  copies: number,
  only: readonly string[] | null = null,
): Promise<void> {
  const { rows: accounts } = await pool.query<{ id: number }>(
    "insert into admin.account (name) select 'neighbour' from generate_series(1, $1::integer) returning account_id as id",
    [copies],
  );
  const { rows: tables } = await pool.query<{ name: string; columns: string }>(TABLES, [only]);
  const ids = accounts.map(({ id }) => id);
  await inTransaction(pool, async (tx) => {
    // The triggers would write rows that are copied themselves.
    await tx.query('set local session_replication_role = replica');
    for (const { name, columns } of tables)
      await tx.query(
        `insert into ${name} (account_id, ${columns})
         select other, ${columns} from ${name}, unnest($2::bigint[]) other where account_id = $1`,
        [accountId, ids],
      );
  });
}

const MAX_SLOWDOWN = 1.2;

/** Returns the figures with neighbours, each compared with the same one without them. */
export function besideNeighbours(alone: readonly Figure[], beside: readonly Figure[]): Figure[] {
  // A figure that stands beside two lower bounds is one here.
  const once = beside.filter(({ what }, index) => beside.findIndex((other) => other.what === what) === index);
  return once.map((figure) => {
    const same = alone.find(({ what }) => what === figure.what);
    // More is better for a rate.
    const goal = figure.unit.includes('/s') ? { atLeast: 1 / MAX_SLOWDOWN } : { atMost: MAX_SLOWDOWN };
    const what = `${figure.what}, with neighbours`;
    // Memory has the limit of its pod, with and without neighbours.
    if (same === undefined || same.unit === 'x' || same.unit === 'MiB') return { ...figure, what };
    return { what, unit: figure.unit, ours: figure.ours, beside: { what: 'without', values: same.ours }, goal };
  });
}
