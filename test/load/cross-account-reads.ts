import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { surveyDatabase } from '@survey/local/database.ts';
import { startPostgres } from '@survey/local/postgres.ts';
import { loadSecrets } from '@survey/local/secrets.ts';
import { inTransaction, type Client, type Pool } from '@survey/postgres/database.ts';
import { executedPlans, scansOf, type Scan } from './executed-plans.ts';
import type { Figure } from '../support/figures.ts';
import { openOrganisation, surveyctl } from './organisation.ts';
import { importAndWait } from './post-snapshot.ts';
import { get, openBenchStack, waitUntilServed, type BenchStack } from './bench-stack.ts';

const LOG = 'plans.log';

// Logs the executed plan of every statement of every service, to a file that is not rotated.
const EXPLAIN = {
  logging_collector: 'on',
  log_filename: LOG,
  log_rotation_age: '0',
  log_rotation_size: '0',
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_verbose': 'on',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_format': 'json',
};

/**
 * Uses every feature for one account among many equal ones, and counts the statements that read
 * more rows of a table than the account has. Prints these statements.
 */
export async function measureCrossAccountReads(started: AsyncDisposableStack, isSmoke: boolean): Promise<Figure[]> {
  const others = isSmoke ? 3 : 200;
  const folder = await mkdtemp(join(tmpdir(), 'survey-cross-account-'));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  const { superuserPassword } = await loadSecrets(join(folder, 'secrets.json'));
  const dataDir = join(folder, 'watched');
  const store = await startPostgres({ dataDir, superuserPassword, settings: EXPLAIN, log: () => {} });
  started.defer(() => store.stop());
  const bench = await openBenchStack(started, isSmoke, await surveyDatabase(store.url));
  await bench.pool.query('alter role postgres set auto_explain.log_min_duration = -1');
  const own = await openOrganisation(bench, { employees: isSmoke ? 60 : 300, months: 3 });
  await inTransaction(bench.pool, (tx) => copyAccount(tx, own.account_id, others));
  await bench.pool.query('analyze');
  const logFile = join(dataDir, 'log', LOG);
  const { size } = await stat(logFile);
  await useEverything(bench, own);
  const plans = await executedPlans(logFile, size);
  if (plans.length === 0) throw new Error(`cannot find the plans of statements in ${logFile}`);
  const wide = await wideScans(bench.pool, own.account_id, plans.flatMap(scansOf));
  for (const { how, table, rows, statement } of wide) console.error(`${how} of ${table}: ${rows} rows\n${statement}\n`);
  return [
    { what: `statements for one account among ${others} equal ones`, unit: 'statements', ours: [plans.length] },
    { what: 'statements that read rows of other accounts', unit: 'statements', ours: [wide.length], goal: { atMost: 0 } },
  ];
}

const TENANT_TABLES = `
select format('%I.%I', n.nspname, c.relname) as name, (
    select string_agg(quote_ident(attname), ', ') from pg_attribute
    where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = ''
  ) as columns
from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id'
where c.relkind = 'r' and n.nspname in ('imports', 'export', 'scoring', 'text') and c.relname not in ('outbox', 'dead_letter', 'due')`;

// Copies in SQL: loading every account through the service would take an hour.
async function copyAccount(tx: Client, accountId: number, copies: number): Promise<void> {
  const { rows: tables } = await tx.query<{ name: string; columns: string }>(TENANT_TABLES);
  // Disables foreign keys, so that tables can be copied in any order.
  await tx.query('set local session_replication_role = replica');
  const { rows: accounts } = await tx.query<{ account_id: number }>(
    `insert into admin.account (name) select 'other' from generate_series(1, $1::int) returning account_id`,
    [copies],
  );
  const ids = accounts.map(({ account_id }) => account_id);
  for (const { name, columns } of tables)
    await tx.query(
      `insert into ${name} (${columns}) overriding system value
       select ${columns} from (
         select (jsonb_populate_record(null::${name}, to_jsonb(t) || jsonb_build_object('account_id', a))).*
         from ${name} t, unnest($2::bigint[]) a where t.account_id = $1
       ) copied`,
      [accountId, ids],
    );
}

const LISTS = ['employees', 'surveys', 'survey_cycles', 'questions', 'survey_assignments', 'initiatives', 'attributes'];

type Own = Awaited<ReturnType<typeof openOrganisation>>;

/** Uses every endpoint, an import, facts, and the text stages. */
async function useEverything(bench: BenchStack, { account_id, read_key, write_key, snapshot, dataset }: Own): Promise<void> {
  const { gateway_url } = bench.stack;
  const account = ['--account', String(account_id)];
  const ask = (path: string) => get(`${gateway_url}/v1/${path}`, read_key);
  await surveyctl(
    bench,
    'settings',
    'set',
    ...account,
    '--masking-entitled',
    'true',
    '--masking',
    'on',
    '--categorisation',
    'on',
  );
  await surveyctl(bench, 'attribute', 'release', ...account, '--name', 'Department');
  await importAndWait(bench, write_key, snapshot);
  await surveyctl(bench, 'dataset', 'load', dataset, ...account);
  for (const list of LISTS) await ask(`${list}?limit=1000`);
  await ask('employees?limit=10&offset=20');
  await ask('survey_assignments?limit=10&offset=20&survey_id=1');
  await ask('attributes/1/options');
  const questions = await ask('questions?limit=1000');
  await waitUntilServed(() => ask(`scores?${scoreOf(questions.body)}`));
  await waitUntilServed(() => ask('text_responses?limit=100'));
  for (const command of [
    ['import', 'list'],
    ['topic', 'list'],
    ['text', 'status'],
  ])
    await surveyctl(bench, ...command, ...account);
  // Until then, every sweeper, relay and backfill has run at least once.
  await sleep(10_000);
}

function scoreOf(questions: Buffer): string {
  const { questions: all } = JSON.parse(questions.toString()) as { questions: { id: number; type: string }[] };
  const stars = all.filter(({ type }) => type === 'stars').map(({ id }) => id);
  return `question_ids=${stars.join()}&period_from=2020-01-01T00:00:00Z&period_to=2030-01-01T00:00:00Z`;
}

// Tolerance for rows of other accounts: PostgreSQL rightly scans small tables completely.
const FEW = 1_000;

async function wideScans(pool: Pool, accountId: number, scans: readonly Scan[]): Promise<Scan[]> {
  const { rows: tables } = await pool.query<{ name: string }>(TENANT_TABLES);
  const own = new Map<string, number>();
  for (const { name } of tables) {
    const { rows } = await pool.query<{ rows: number }>(`select count(*)::int as rows from ${name} where account_id = $1`, [
      accountId,
    ]);
    own.set(name, rows[0]?.rows ?? 0);
  }
  // A statement can read a row more than once, such as in a self-join.
  return scans.filter(({ table, rows }) => own.has(table) && rows > FEW && rows > 3 * (own.get(table) ?? 0));
}
