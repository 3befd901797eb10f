import { join } from 'node:path';
import { inAccountSnapshot } from '@survey/postgres/database.ts';
import { loadAnswers } from '@survey/scoring-anonymity/answers/answer-cache.ts';
import { millisecondsOf, medianOf, type Figure } from '../support/figures.ts';
import { importAndWait } from './post-snapshot.ts';
import { fillAccount } from './scores-fill.ts';
import { writeSnapshot } from './snapshot-file.ts';
import { fillTexts } from './texts-fill.ts';
import { get, waitUntilServed, type BenchStack } from './bench-stack.ts';

const LIMIT = 1_000;
const REPETITIONS = 3;
const ANSWERS_PER_CYCLE = 25;

/** Duration in milliseconds of work of a given size. */
type Cost = (bench: BenchStack, size: number) => Promise<number>;

/** Measures the same work at three sizes and the exponent of its growth; 1 means linear. */
export async function measureGrowth(bench: BenchStack): Promise<Figure[]> {
  const sizes = bench.isSmoke ? [100, 300, 900] : [5_000, 50_000, 500_000];
  const figures: Figure[] = [];
  for (const [what, cost] of Object.entries(COSTS)) {
    const times: number[] = [];
    for (const size of sizes) times.push(await cost(bench, size));
    figures.push(...growthFigures(what, sizes, times));
  }
  return figures;
}

/** Returns the times in milliseconds of work of these sizes, and the exponent of its growth. */
export function growthFigures(what: string, sizes: readonly number[], times: readonly number[]): Figure[] {
  const each = sizes.map((size, index): Figure => ({
    what: `${what}: ${size.toLocaleString('en')}`,
    unit: 'ms',
    ours: [times[index] ?? 0],
    size,
  }));
  return [...each, { what: `${what}: exponent`, unit: 'x', ours: [exponentOf(sizes, times)], goal: { atMost: 1.1 } }];
}

const COSTS: Readonly<Record<string, Cost>> = {
  'first import of employees': async (bench, size) => {
    const { write_key: key } = await bench.account();
    return importAndWait(bench, key, await snapshotOf(bench, size));
  },
  'export of all employees': async (bench, size) => {
    const { write_key, read_key } = await bench.account();
    await importAndWait(bench, write_key, await snapshotOf(bench, size));
    return medianTime(() => readAll(bench, 'employees', read_key, size));
  },
  'export of all survey cycles': async (bench, size) => {
    const { account_id, read_key } = await bench.account();
    await bench.pool.query(FILL_CYCLES, [account_id, size]);
    return medianTime(() => readAll(bench, 'survey_cycles', read_key, size));
  },
  'answers loaded for scores': async ({ pool }, size) => {
    const { accountId } = await fillAccount(pool, size);
    return medianTime(() => inAccountSnapshot(pool, accountId, (tx) => loadAnswers(tx, accountId)));
  },
  'export of all free text': async (bench, size) => {
    const { account_id, read_key } = await bench.account();
    await fillTexts(bench.pool, account_id, size, Math.ceil(size / ANSWERS_PER_CYCLE));
    await waitUntilServed(() => get(`${bench.stack.gateway_url}/v1/text_responses?limit=0`, read_key));
    return medianTime(() => readAll(bench, 'text_responses', read_key, size));
  },
};

// Weekly, of 100 surveys.
const FILL_CYCLES = `
with s as (
  insert into export.survey (account_id, id, revision, digest, name, frequency, created_at, is_archived, is_deactivated,
    access_employee_ids, access_import_ids, survey_properties, timezone)
  select $1::bigint, n, 1, '', '{}', 'weekly', now(), false, false, '{}', '{}', '[]', 'UTC' from generate_series(1, 100) n
)
insert into export.cycle (account_id, id, revision, digest, survey_id, opened_at)
select $1::bigint, gen_random_uuid(), 1, '', 1 + n % 100, now() - n / 100 * interval '1 week' from generate_series(1, $2::integer) n`;

async function snapshotOf({ folder }: BenchStack, employees: number): Promise<string> {
  const file = join(folder, `growth-${employees}.gz`);
  await writeSnapshot(file, employees);
  return file;
}

async function readAll({ stack }: BenchStack, list: string, key: string, rows: number): Promise<void> {
  for (let offset = 0; offset < rows; offset += LIMIT)
    await get(`${stack.gateway_url}/v1/${list}?limit=${LIMIT}&offset=${offset}`, key);
}

async function medianTime(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < REPETITIONS; turn += 1) times.push(await millisecondsOf(work));
  return medianOf(times);
}

// Returns the slope of the least-squares line through the logarithms.
function exponentOf(sizes: readonly number[], times: readonly number[]): number {
  const [x, y] = [sizes.map(Math.log), times.map(Math.log)];
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [middleX, middleY] = [mean(x), mean(y)];
  const together = x.reduce((sum, value, index) => sum + (value - middleX) * ((y[index] ?? 0) - middleY), 0);
  return together / x.reduce((sum, value) => sum + (value - middleX) ** 2, 0);
}
