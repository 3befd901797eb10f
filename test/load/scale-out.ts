import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrate } from '@survey/postgres/migrate.ts';
import { Client } from 'pg';
import { operatorAt, type Account } from '../support/accounts.ts';
import { workersOf } from '../support/citus.ts';
import { byTurns, millisecondsOf, printAlone, type Figure } from '../support/figures.ts';
import { asSuperuser } from '../support/postgres-server.ts';
import { get, openBenchStack, type BenchStack } from './bench-stack.ts';
import { importAndWait } from './post-snapshot.ts';
import { writeSnapshot } from './snapshot-file.ts';

const ACCOUNTS = 8;
const EMPLOYEES = 10_000;
const PAGES = 80;
const FEW = 20;
const MANY = 10 * FEW;
const CONCURRENT_IMPORTS = 8;
const SETTLE_MS = 20_000;
const MINUTE_MS = 60_000;
const PLAIN = 'plain PostgreSQL';

/** Returns why this machine cannot run the benchmark, if so. */
export function whatScaleOutMisses(): Promise<string | undefined> {
  const { CITUS_URL, PLAIN_URL } = process.env;
  const reason =
    'it needs CITUS_URL and PLAIN_URL, superuser URLs of two databases without tables; both servers preload pg_stat_statements';
  return Promise.resolve(CITUS_URL === undefined || PLAIN_URL === undefined ? reason : undefined);
}

interface Side extends BenchStack {
  // Superuser URLs of the database on every node.
  readonly nodeUrls: readonly string[];
}

interface Sides {
  readonly plain: Side;
  readonly citus: Side;
}

/**
 * Measures imports, pages and polls of a stack on a Citus cluster beside one on plain PostgreSQL.
 * All servers have the same version, are as durable as in production, and share this machine.
 */
export async function measureScaleOut(started: AsyncDisposableStack, isSmoke: boolean): Promise<Figure[]> {
  const { CITUS_URL: citusUrl = '', PLAIN_URL: plainUrl = '' } = process.env;
  await asSuperuser(plainUrl, 'drop extension if exists citus');
  await migrate({ databaseUrl: citusUrl, distribute: true });
  const sides = {
    plain: await openSide(started, isSmoke, plainUrl),
    citus: await openSide(started, isSmoke, citusUrl, await workersOf(citusUrl)),
  };
  // First, because the sweeps every ten minutes do grow with the accounts.
  const polls = await measurePolls(sides);
  return [...(await measureWork(sides)), ...polls];
}

async function openSide(
  started: AsyncDisposableStack,
  isSmoke: boolean,
  url: string,
  workerUrls: readonly string[] = [],
): Promise<Side> {
  await asSuperuser(url, 'create extension pg_stat_statements');
  return { ...(await openBenchStack(started, isSmoke, url)), nodeUrls: [url, ...workerUrls] };
}

async function measureWork({ plain, citus }: Sides): Promise<Figure[]> {
  const employees = plain.isSmoke ? 1_000 : EMPLOYEES;
  const count = plain.isSmoke ? 2 : ACCOUNTS;
  const [file, changed] = [join(plain.folder, 'scale-out.gz'), join(plain.folder, 'scale-out-changed.gz')];
  await writeSnapshot(file, employees);
  await writeSnapshot(changed, employees, 100);
  const accounts = { plain: await openAccounts(plain, count), citus: await openAccounts(citus, count) };
  const inTurns = async (what: string, atMost: number, times: number, work: Work): Promise<Figure> => {
    let turn = 0;
    const next = (side: keyof Sides) => (): Promise<number> => {
      const account = accounts[side][Math.floor(turn++ / 2) % count];
      if (account === undefined) throw new Error('expected an account');
      return millisecondsOf(() => work({ plain, citus }[side], account));
    };
    const { plain: beside, citus: ours } = await byTurns(times, { plain: next('plain'), citus: next('citus') });
    return { what, unit: 'ms', ours, beside: { what: PLAIN, values: beside }, goal: { atMost } };
  };
  const size = employees.toLocaleString('en');
  const imports = [
    await inTurns(`import of ${size}, first`, 1.2, count, (side, { writeKey }) => importAndWait(side, writeKey, file)),
    await inTurns(`import of ${size}, unchanged`, 1.5, count, (side, { writeKey }) => importAndWait(side, writeKey, file)),
    await inTurns(`import of ${size}, 1 % changed`, 1.3, count, (side, { writeKey }) => importAndWait(side, writeKey, changed)),
  ];
  for (const { pool } of [plain, citus]) await pool.query('vacuum analyze imports.employee');
  const read = (limit: number): Promise<Figure> =>
    inTurns(`page of ${limit} employees`, 1.3, plain.isSmoke ? 4 : PAGES, ({ stack }, { readKey }) =>
      get(`${stack.gateway_url}/v1/employees?limit=${limit}`, readKey),
    );
  // Not counted: loads the code and the connections.
  await read(100);
  return [...imports, await read(100), await read(1_000)];
}

type Work = (side: Side, account: Account) => Promise<unknown>;

/** Measures the statements of a minute without requests, on all nodes. */
async function measurePolls(sides: Sides): Promise<Figure[]> {
  const each = Object.values(sides) as Side[];
  const isSmoke = sides.plain.isSmoke;
  const file = join(sides.plain.folder, 'few.gz');
  await writeSnapshot(file, 20);
  const counts: Record<number, number[]> = {};
  let accounts = 0;
  for (const size of isSmoke ? [2, 4] : [FEW, MANY]) {
    for (const side of each) {
      const left = await openAccounts(side, size - accounts);
      const importNext = async (): Promise<void> => {
        for (let next = left.pop(); next !== undefined; next = left.pop()) await importAndWait(side, next.writeKey, file);
      };
      await Promise.all(Array.from({ length: CONCURRENT_IMPORTS }, importNext));
    }
    accounts = size;
    await sleep(isSmoke ? 1_000 : SETTLE_MS);
    await Promise.all(each.map(resetStatements));
    await sleep(isSmoke ? 1_000 : MINUTE_MS);
    counts[size] = await Promise.all(each.map(countStatements));
  }
  const [[few, fewer], [many, more]] = Object.entries(counts) as [[string, number[]], [string, number[]]];
  return Object.keys(sides).map((name, index) => ({
    what: `polls per minute of ${many} accounts at rest, ${name === 'plain' ? PLAIN : 'Citus'}`,
    unit: 'statements',
    ours: more.slice(index, index + 1),
    beside: { what: `${few} accounts`, values: fewer.slice(index, index + 1) },
    goal: { atMost: 1.1 },
  }));
}

async function openAccounts({ stack }: Side, count: number): Promise<Account[]> {
  using operator = operatorAt(stack.account_admin_address);
  const accounts: Account[] = [];
  for (let nth = 0; nth < count; nth += 1) accounts.push(await operator.createAccount());
  return accounts;
}

async function resetStatements({ nodeUrls }: Side): Promise<void> {
  for (const url of nodeUrls) await asSuperuser(url, 'select pg_stat_statements_reset()');
}

// Counts statements of services, including those that the coordinator passes on.
async function countStatements({ nodeUrls }: Side): Promise<number> {
  let sum = 0;
  for (const connectionString of nodeUrls) {
    const client = new Client({ connectionString });
    await client.connect();
    const { rows } = await client.query<{ calls: string }>(
      `select coalesce(sum(calls), 0) as calls from pg_stat_statements join pg_roles r on r.oid = userid where rolname like 'survey%'`,
    );
    await client.end();
    sum += Number(rows[0]?.calls);
  }
  return sum;
}

if (import.meta.main) await printAlone(measureScaleOut);
