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
import { get, openWorld, untilAnswered, type BenchStack } from './bench-stack.ts';

// Every statement of every service is written down as it was executed.
const EXPLAIN = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_verbose': 'on',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_format': 'json',
};

/**
 * One account among many that are like it: what customers and operators do is done for it, and no statement may read more rows than it has itself.
 * Throws, and says which statements did, when there are any.
 */
export async function measureNeighbours(started: AsyncDisposableStack, isSmoke: boolean): Promise<Figure[]> {
  const neighbours = isSmoke ? 3 : 200;
  const folder = await mkdtemp(join(tmpdir(), 'survey-neighbours-'));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  const { superuserPassword } = await loadSecrets(join(folder, 'secrets.json'));
  const dataDir = join(folder, 'watched');
  const store = await startPostgres({ dataDir, port: 0, superuserPassword, settings: EXPLAIN, log: () => {} });
  started.defer(() => store.stop());
  const world = await openWorld(started, isSmoke, await surveyDatabase(store.url));
  await world.pool.query('alter role postgres set auto_explain.log_min_duration = -1');
  const own = await openOrganisation(world, { employees: isSmoke ? 60 : 300, months: 3 });
  await inTransaction(world.pool, (tx) => copyAccount(tx, own.account_id, neighbours));
  await world.pool.query('analyze');
  const { size } = await stat(`${dataDir}.log`);
  await useEverything(world, own);
  const plans = await executedPlans(`${dataDir}.log`, size);
  const wide = await wideScans(world.pool, own.account_id, plans.flatMap(scansOf));
  for (const { how, table, rows, statement } of wide) console.error(`${how} of ${table}: ${rows} rows\n${statement}\n`);
  return [
    { what: `statements for one account beside ${neighbours} like it`, unit: 'statements', ours: [plans.length] },
    { what: 'of them, those that read rows of others', unit: 'statements', ours: [wide.length], goal: { atMost: 0 } },
  ];
}

const TENANT_TABLES = `
select format('%I.%I', n.nspname, c.relname) as name
from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id'
where c.relkind = 'r' and n.nspname in ('imports', 'export', 'scoring', 'text') and c.relname not in ('outbox', 'dead_letter')`;

// A workforce and its answers for each would take an hour through the service.
async function copyAccount(tx: Client, accountId: number, copies: number): Promise<void> {
  const { rows: tables } = await tx.query<{ name: string }>(TENANT_TABLES);
  // The order of the tables does not matter then.
  await tx.query('set local session_replication_role = replica');
  const { rows: accounts } = await tx.query<{ account_id: number }>(
    `insert into admin.account (name) select 'neighbour' from generate_series(1, $1::int) returning account_id`,
    [copies],
  );
  const ids = accounts.map(({ account_id }) => account_id);
  for (const { name } of tables)
    await tx.query(
      `insert into ${name} overriding system value
       select (jsonb_populate_record(null::${name}, to_jsonb(t) || jsonb_build_object('account_id', a))).*
       from ${name} t, unnest($2::bigint[]) a where t.account_id = $1`,
      [accountId, ids],
    );
}

const LISTS = ['employees', 'surveys', 'survey_cycles', 'questions', 'survey_assignments', 'initiatives', 'attributes'];

type Own = Awaited<ReturnType<typeof openOrganisation>>;

/** Every endpoint, an import, facts, and the work on free text. */
async function useEverything(world: BenchStack, { account_id, read_key, write_key, snapshot, dataset }: Own): Promise<void> {
  const { gateway_url } = world.stack;
  const account = ['--account', String(account_id)];
  const ask = (path: string) => get(`${gateway_url}/v1/${path}`, read_key);
  await surveyctl(
    world,
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
  await surveyctl(world, 'attribute', 'release', ...account, '--name', 'Department');
  await importAndWait(world, write_key, snapshot);
  await surveyctl(world, 'dataset', 'load', dataset, ...account);
  for (const list of LISTS) await ask(`${list}?limit=1000`);
  await ask('employees?limit=10&offset=20');
  await ask('survey_assignments?limit=10&offset=20&survey_id=1');
  await ask('attributes/1/options');
  const questions = await ask('questions?limit=1000');
  await untilAnswered(() => ask(`scores?${scoreOf(questions.body)}`));
  await untilAnswered(() => ask('text_responses?limit=100'));
  for (const command of [
    ['import', 'list'],
    ['topic', 'list'],
    ['text', 'status'],
  ])
    await surveyctl(world, ...command, ...account);
  // The sweepers, relays and planners have come round by then.
  await sleep(10_000);
}

function scoreOf(questions: Buffer): string {
  const { questions: all } = JSON.parse(questions.toString()) as { questions: { id: number; type: string }[] };
  const stars = all.filter(({ type }) => type === 'stars').map(({ id }) => id);
  return `question_ids=${stars.join()}&period_from=2020-01-01T00:00:00Z&period_to=2030-01-01T00:00:00Z`;
}

// Of others: below that a scan of everything is cheaper than an index, and PostgreSQL knows.
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
  // A statement may look at a row more than once, as a join with itself does.
  return scans.filter(({ table, rows }) => own.has(table) && rows > FEW && rows > 3 * (own.get(table) ?? 0));
}
