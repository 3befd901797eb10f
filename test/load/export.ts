import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { applyAssignments } from '@survey/export/facts/assignments.ts';
import { copyOut } from '@survey/postgres/stream-rows.ts';
import { inTransaction, type Pool } from '@survey/postgres/database.ts';
import type { Fact } from '@survey/proto/intake/v1/intake.ts';
import { applying } from '../support/apply-facts.ts';
import { byTurns, millisecondsOf, type Figure } from '../support/figures.ts';
import { startBaseline } from './baselines/start-baseline.ts';
import { importAndWait } from './post-snapshot.ts';
import { writeSnapshot } from './snapshot-file.ts';
import { get, type BenchStack } from './bench-stack.ts';

const LIMIT = 1_000;
const SURVEYS = 4;
const PAGES = 30;
const LOOPS = 3;
const FINISHED_PAGES = fileURLToPath(new URL('./baselines/finished-pages.ts', import.meta.url));

/**
 * Measures pages at any offset beside the first page, and whole lists beside COPY of the same JSON
 * and beside pages of it over HTTP.
 */
export async function measureExport(bench: BenchStack): Promise<Figure[]> {
  const rows = bench.isSmoke ? 8_000 : 1_000_000;
  const account = await bench.account();
  const file = join(bench.folder, 'export.gz');
  await writeSnapshot(file, rows);
  await importAndWait(bench, account.write_key, file);
  await fillAssignments(bench.pool, account.account_id, rows);
  await bench.pool.query('vacuum analyze imports.employee, export.assignment');
  const list = (path: string): List => ({ ...bench, path, key: account.read_key, rows });
  const assignments = list('/v1/survey_assignments?');
  return [
    ...(await measureList('employees', list('/v1/employees?'), { one: 5, four: 3.5 })),
    ...(await measureList('survey assignments', assignments, { one: 7, four: 5 })),
    await measureDepth('survey assignments of one survey', {
      ...assignments,
      path: '/v1/survey_assignments?survey_id=2&',
      rows: rows / SURVEYS,
    }),
  ];
}

// Not set-based, so that rows and block counts are those that the service writes.
async function fillAssignments(pool: Pool, accountId: number, rows: number): Promise<void> {
  const batch = 5_000;
  const apply = applying('assignment', applyAssignments);
  for (let from = 1; from <= rows; from += batch) {
    const facts = Array.from({ length: Math.min(batch, rows - from + 1) }, (_, n) => assignment(from + n));
    await apply(pool, accountId, facts);
  }
}

function assignment(id: number): Fact {
  const employee = { id: 1 + (id % 50_000) };
  return {
    revision: 1,
    line: 0,
    assignment: { id, survey_id: 1 + (id % SURVEYS), employee, created_at: '2026-01-01T00:00:00Z' },
  };
}

interface List extends BenchStack {
  // URL of the list up to where further parameters follow.
  readonly path: string;
  readonly key: string;
  readonly rows: number;
}

function page({ stack, path, key }: List, offset: number): Promise<Buffer> {
  return get(`${stack.gateway_url}${path}limit=${LIMIT}&offset=${offset}`, key).then(({ body }) => body);
}

async function measureList(what: string, list: List, goals: { one: number; four: number }): Promise<Figure[]> {
  const depth = await measureDepth(what, list);
  await keepRows(list);
  await using finished = await startBaseline(FINISHED_PAGES, list.stack.database_url);
  const bare = { ...list, stack: { ...list.stack, gateway_url: finished.url } };
  const { one, four, bareOne, bareFour, copy } = await byTurns(LOOPS, {
    one: () => millisecondsOf(() => loop(list, 1)),
    four: () => millisecondsOf(() => loop(list, 4)),
    bareOne: () => millisecondsOf(() => loop(bare, 1)),
    bareFour: () => millisecondsOf(() => loop(bare, 4)),
    copy: () => millisecondsOf(() => copyRows(list.pool)),
  });
  const beside = { what: 'COPY of the same JSON', values: copy };
  const besideBare = (values: readonly number[]) => ({ what: 'the same JSON in pages over HTTP', values });
  return [
    depth,
    { what: `all ${what}, one client`, unit: 'ms', ours: one, beside, goal: { atMost: goals.one } },
    { what: `all ${what}, one client`, unit: 'ms', ours: one, beside: besideBare(bareOne), goal: { atMost: 4 } },
    { what: `all ${what}, four clients`, unit: 'ms', ours: four, beside, goal: { atMost: goals.four } },
    { what: `all ${what}, four clients`, unit: 'ms', ours: four, beside: besideBare(bareFour), goal: { atMost: 5 } },
  ];
}

async function measureDepth(what: string, list: List): Promise<Figure> {
  const deepest = list.rows - LIMIT;
  const { deep, first } = await byTurns(PAGES, {
    deep: () => millisecondsOf(() => page(list, deepest)),
    first: () => millisecondsOf(() => page(list, 0)),
  });
  const beside = { what: 'page at 0', values: first };
  return { what: `${what}: page at ${deepest.toLocaleString('en')}`, unit: 'ms', ours: deep, beside, goal: { atMost: 1.25 } };
}

/** Reads the whole list with `clients` concurrent clients. @throws when a page is not full. */
async function loop(list: List, clients: number): Promise<void> {
  let offset = 0;
  const client = async (): Promise<void> => {
    while (offset < list.rows) {
      const own = offset;
      offset += LIMIT;
      const body = await page(list, own);
      if (body.length < LIMIT) throw new Error(`cannot read the list: the page at ${own} is too short`);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
}

// Lower bound: the records as the API renders them, one row each.
async function keepRows(list: List): Promise<void> {
  await list.pool.query('drop table if exists rendered; create unlogged table rendered (ord serial primary key, record text)');
  for (let offset = 0; offset < list.rows; offset += LIMIT) {
    const { total_count: _, ...rest } = JSON.parse((await page(list, offset)).toString()) as Record<string, unknown[]>;
    const [records] = Object.values(rest);
    await list.pool.query('insert into rendered (record) select unnest($1::text[])', [
      (records ?? []).map((one) => JSON.stringify(one)),
    ]);
  }
  await list.pool.query('vacuum analyze rendered');
}

async function copyRows(pool: Pool): Promise<void> {
  await inTransaction(pool, async (tx) => {
    let bytes = 0;
    for await (const part of copyOut(tx, 'copy (select record from rendered order by ord) to stdout'))
      bytes += (part as Buffer).length;
    if (bytes === 0) throw new Error('cannot measure COPY: no rows');
  });
}
