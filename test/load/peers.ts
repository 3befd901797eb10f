import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { byTurns, millisecondsOf, type Figure } from '../support/figures.ts';
import { importAndWait } from './post-snapshot.ts';
import { startPeer } from './baselines/start-peer.ts';
import { createPeerTables, fillPeerTables } from './baselines/schema.ts';
import { writeSnapshot } from './snapshot-file.ts';
import { get, type BenchStack } from './bench-stack.ts';

const programOf = (name: string): string => fileURLToPath(new URL(`./baselines/${name}.ts`, import.meta.url));

/** Ours beside what a good team would write first: a list with OFFSET (Fastify, kysely), an import row by row (Express). */
export async function measurePeers(world: BenchStack): Promise<Figure[]> {
  await createPeerTables(world.pool);
  return [...(await measurePages(world)), ...(await measureImport(world))];
}

async function measurePages(world: BenchStack): Promise<Figure[]> {
  const rows = world.isSmoke ? 3_000 : 1_000_000;
  const { account_id, read_key, write_key } = await world.account();
  const file = join(world.folder, 'peers.gz');
  await writeSnapshot(file, rows);
  await importAndWait(world, write_key, file);
  await fillPeerTables(world.pool, account_id);
  await world.pool.query('insert into peer.api_key values ($1, $2)', [
    createHash('sha256').update(read_key).digest(),
    account_id,
  ]);
  await using peer = await startPeer(programOf('list-employees'), world.stack.database_url);
  const page = (base: string, offset: number) => () =>
    millisecondsOf(() => get(`${base}/v1/employees?limit=1000&offset=${offset}`, read_key));
  const figures: Figure[] = [];
  for (const offset of [0, rows / 2, rows - 1_000]) {
    const { ours, theirs } = await byTurns(world.isSmoke ? 3 : 15, {
      ours: page(world.stack.gateway_url, offset),
      theirs: page(peer.url, offset),
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

async function measureImport(world: BenchStack): Promise<Figure[]> {
  const employees = world.isSmoke ? 200 : 5_000;
  const file = join(world.folder, 'row-by-row.gz');
  await writeSnapshot(file, employees);
  const { account_id, write_key } = await world.account();
  await using peer = await startPeer(programOf('import-employees'), world.stack.database_url);
  const step = async (what: string, goal: number): Promise<Figure> => {
    const { ours, theirs } = await byTurns(1, {
      ours: () => importAndWait(world, write_key, file),
      theirs: () => millisecondsOf(() => post(`${peer.url}/accounts/${account_id}/imports`, file)),
    });
    const beside = { what: 'Express, row by row', values: theirs };
    return { what: `${employees.toLocaleString('en')} employees, ${what}`, unit: 'ms', ours, beside, goal: { atMost: goal } };
  };
  return [await step('first', 0.1), await step('unchanged', 0.005)];
}

async function post(url: string, file: string): Promise<void> {
  const call = request(url, { method: 'POST', headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } });
  createReadStream(file).pipe(call);
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  response.resume();
  if (response.statusCode !== 202) throw new Error(`the peer answered ${response.statusCode}`);
}
