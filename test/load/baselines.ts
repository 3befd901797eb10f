import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { byTurns, millisecondsOf, type Figure } from '../support/figures.ts';
import { importAndWait } from './post-snapshot.ts';
import { startBaseline } from './baselines/start-baseline.ts';
import { createBaselineTables, fillBaselineTables } from './baselines/schema.ts';
import { writeSnapshot } from './snapshot-file.ts';
import { get, type BenchStack } from './bench-stack.ts';

const programOf = (name: string): string => fileURLToPath(new URL(`./baselines/${name}.ts`, import.meta.url));

/**
 * Measures against straightforward code: a list with OFFSET (Fastify, kysely), and an import by
 * statements over all employees.
 */
export async function measureBaselines(bench: BenchStack): Promise<Figure[]> {
  await createBaselineTables(bench.pool);
  return [...(await measurePages(bench)), ...(await measureImport(bench))];
}

async function measurePages(bench: BenchStack): Promise<Figure[]> {
  const rows = bench.isSmoke ? 3_000 : 1_000_000;
  const { account_id, read_key, write_key } = await bench.account();
  const file = join(bench.folder, 'baselines.gz');
  await writeSnapshot(file, rows);
  await importAndWait(bench, write_key, file);
  await fillBaselineTables(bench.pool, account_id);
  await bench.pool.query('insert into baseline.api_key values ($1, $2)', [
    createHash('sha256').update(read_key).digest(),
    account_id,
  ]);
  await using baseline = await startBaseline(programOf('list-employees'), bench.stack.database_url);
  const page = (base: string, offset: number) => () =>
    millisecondsOf(() => get(`${base}/v1/employees?limit=1000&offset=${offset}`, read_key));
  const figures: Figure[] = [];
  for (const offset of [0, rows / 2, rows - 1_000]) {
    const { ours, theirs } = await byTurns(bench.isSmoke ? 3 : 15, {
      ours: page(bench.stack.gateway_url, offset),
      theirs: page(baseline.url, offset),
    });
    const beside = { what: 'Fastify, kysely, OFFSET', values: theirs };
    figures.push({
      what: `1,000 of ${rows.toLocaleString('en')} employees at ${offset.toLocaleString('en')}`,
      unit: 'ms',
      ours,
      beside,
    });
  }
  return figures;
}

async function measureImport(bench: BenchStack): Promise<Figure[]> {
  const employees = bench.isSmoke ? 200 : 5_000;
  const file = join(bench.folder, 'by-sets.gz');
  await writeSnapshot(file, employees);
  const { account_id, write_key } = await bench.account();
  await using baseline = await startBaseline(programOf('import-employees'), bench.stack.database_url);
  const step = async (what: string, goal: number, turns = 1): Promise<Figure> => {
    const { ours, theirs } = await byTurns(turns, {
      ours: () => importAndWait(bench, write_key, file),
      theirs: () => millisecondsOf(() => post(`${baseline.url}/accounts/${account_id}/imports`, file)),
    });
    const beside = { what: 'Express, COPY, statements over all employees', values: theirs };
    return { what: `${employees.toLocaleString('en')} employees, ${what}`, unit: 'ms', ours, beside, goal: { atMost: goal } };
  };
  return [await step('first', 0.8), await step('unchanged', 0.2, bench.isSmoke ? 1 : 5)];
}

async function post(url: string, file: string): Promise<void> {
  const call = request(url, { method: 'POST', headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } });
  createReadStream(file).pipe(call);
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  response.resume();
  if (response.statusCode !== 202) throw new Error(`cannot import into the baseline: status ${response.statusCode}`);
}
