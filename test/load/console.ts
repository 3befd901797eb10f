import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { reservePort } from '@survey/local/ports.ts';
import { setIssuers } from '@survey/local/demo-account.ts';
import { ConsoleClient } from '../support/console-client.ts';
import { prepareConsole } from '../support/console-process.ts';
import { millisecondsOf, percentileOf, type Figure } from '../support/figures.ts';
import { R } from '../support/records.ts';
import type { BenchStack } from './bench-stack.ts';
import { importAndWait } from './post-snapshot.ts';

const PAGES = ['/', '/integration', '/imports', '/keys', '/attributes', '/settings', '/audit'];

/** Measures pages of the console for an account with many imports and attributes. */
export async function measureConsole(bench: BenchStack): Promise<Figure[]> {
  const { stack, isSmoke } = bench;
  const [sessions, imports, attributes] = isSmoke ? [5, 100, 20] : [100, 2_000, 300];
  const people = Array.from({ length: sessions }, (_, n) => ({ id: `a${n}`, name: `Admin ${n}`, email: `a${n}@x.io` }));
  const accountId = await fillAccount(bench, people, { imports, attributes });
  const url = `http://127.0.0.1:${await reservePort()}`;
  const services = { 'account-admin': { address: stack.account_admin_address } };
  if (stack.redis_url === undefined) throw new Error('cannot measure the console: there is no Redis');
  await using replicas = await prepareConsole({ services, redisUrl: stack.redis_url }, { url, people });
  await setIssuers(stack.account_admin_address, accountId, [replicas.provider.issuer]);
  await replicas.start(Number(new URL(url).port));
  const clients = people.map(() => new ConsoleClient(url));
  for (const [n, client] of clients.entries()) await client.signIn(`a${n}`, 'admins');
  const figures: Figure[] = [];
  for (const path of PAGES) {
    const took: number[] = [];
    const bytes: number[] = [];
    const read = async (client: ConsoleClient): Promise<void> => {
      const { status, text } = await client.get(`/a/${accountId}${path}`);
      if (status !== 200) throw new Error(`cannot read ${path}: status ${status}`);
      bytes.push(Buffer.byteLength(text));
    };
    for (const client of clients) took.push(await millisecondsOf(() => read(client)));
    figures.push(
      { what: `p95 of ${path}, ${sessions} sessions`, unit: 'ms', ours: [percentileOf(took, 95)], goal: { atMost: 150 } },
      { what: `size of ${path}`, unit: 'bytes', ours: [Math.max(...bytes)], goal: { atMost: 60 * 1_024 } },
    );
  }
  return figures;
}

async function fillAccount(
  bench: BenchStack,
  people: readonly { readonly email: string }[],
  size: { readonly imports: number; readonly attributes: number },
): Promise<number> {
  const { account_id, write_key } = await bench.account();
  const attributes = Array.from({ length: size.attributes }, (_, n) => ({
    name: `Attribute ${n}`,
    value: { name: `Value ${n}` },
  }));
  const employees = people.map(({ email }, n) => R(n, { email, role: 'Admin', ...(n === 0 && { attributes }) }));
  const file = join(bench.folder, 'admins.gz');
  await writeFile(file, gzipSync(JSON.stringify({ employees })));
  await importAndWait(bench, write_key, file);
  await bench.pool.query(
    `insert into imports.import (account_id, import_uuid, state, accepted_at, finished_at, plan_version, content_encoding, employees_total, created)
     select $1, gen_random_uuid(), 'applied', now() - n * interval '1 hour', now() - n * interval '1 hour' + interval '3 seconds', 1, 'identity', 300, n % 7
     from generate_series(1, $2::integer) n`,
    [account_id, size.imports],
  );
  return account_id;
}
