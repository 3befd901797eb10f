import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import type { Account, ImportOutcome } from '../support/accounts.ts';
import type { Answer } from '../support/api.ts';
import { startFileStack } from '../support/file-stack.ts';
import { R, records } from '../support/records.ts';
import { reportSkipped } from '../support/skipped.ts';

const run = promisify(execFile);
const EMPLOYEES = 20_000;

/** A worker whose server this process can stop and start. */
interface Worker {
  readonly port: number;
  readonly data: string;
  readonly pgCtl: string;
  // The account that it runs as.
  readonly uid: number;
  readonly gid: number;
}

const workers = await Promise.all((inject('postgres').workerUrls ?? []).map(workerAt));
const isHere = workers.every((worker) => worker !== undefined);
if (!isHere) reportSkipped('citus-worker', 'the workers run on another machine, or under an account that tests may not use');

describe.skipIf(!isHere)('a worker that is killed during an import', async () => {
  const { api, operator, db, importAndWait, listEmployees } = await startFileStack();

  it('makes only its own accounts unavailable: imports of others are applied, its own once it is back', async () => {
    const [lost, other] = await accountsOnTwoWorkers();
    await importAndWait(lost, records(1, 100));
    await importAndWait(other, records(1, 100));
    const worker = await workerOf(lost);

    const accepted = await api.post('/v1/employees/imports', { employees: records(1, EMPLOYEES) }, lost.writeKey);
    expect(accepted).toMatchObject({ status: 202 });
    await expect.poll(() => isWriting(), { interval: 20 }).toBe(true);
    await control(worker, '-m', 'immediate', 'stop');

    await expect.poll(async () => (await api.get('/v1/employees?limit=1', lost.readKey)).status).toBe(503);
    expect(await listEmployees(other)).toMatchObject({ total_count: 100 });
    const meanwhile = await importAndWait(other, [...records(2, 120), { ...R(1), lastname: 'Changed', reports_to_id: 'E2' }]);
    expect(meanwhile).toMatchObject({ state: 'applied', counts: { created: 20, updated: 1, unchanged: 99 } });
    expect(await importAndWait(other, records(3, 120))).toMatchObject({
      state: 'applied',
      counts: { offboarded: 2, unchanged: 118 },
    });

    await control(worker, '-l', join(worker.data, 'server.log'), 'start');
    expect(await ended(lost, accepted)).toMatchObject({ state: 'applied', counts: { created: EMPLOYEES - 100, unchanged: 100 } });
    expect(await listEmployees(lost, '?limit=1')).toMatchObject({ total_count: EMPLOYEES });
  }, 240_000);

  function ended({ accountId }: Account, { body }: Answer): Promise<ImportOutcome> {
    return operator.importEnded(accountId, z.strictObject({ import_uuid: z.string() }).parse(body).import_uuid);
  }

  async function accountsOnTwoWorkers(): Promise<[Account, Account]> {
    const first = await operator.createAccount();
    for (;;) {
      const next = await operator.createAccount();
      if ((await portOf(next)) !== (await portOf(first))) return [first, next];
    }
  }

  async function portOf({ accountId }: Account): Promise<number> {
    const { rows } = await db.query<{ nodeport: number }>(
      `select nodeport from pg_dist_placement join pg_dist_node using (groupid)
       where shardid = get_shard_id_for_distribution_column('imports.employee', $1::bigint)`,
      [accountId],
    );
    return rows[0]?.nodeport ?? 0;
  }

  async function workerOf(account: Account): Promise<Worker> {
    const port = await portOf(account);
    const worker = workers.find((each) => each?.port === port);
    if (worker === undefined) throw new Error('expected a worker with the account');
    return worker;
  }

  async function isWriting(): Promise<boolean> {
    const { rows } = await db.query<{ is: boolean }>(
      `select exists (select from pg_stat_activity where usename = 'survey_imports' and query ~ 'insert into imports.employee') as is`,
    );
    return rows[0]?.is ?? false;
  }
});

/** Returns a worker; undefined if its server is not one that tests can stop and start. */
async function workerAt(url: string): Promise<Worker | undefined> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ data: string; bin: string }>(
    "select current_setting('data_directory') as data, (select setting from pg_config where name = 'BINDIR') as bin",
  );
  await client.end();
  const { data = '', bin = '' } = rows[0] ?? {};
  const port = Number(new URL(url).port);
  const state = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '');
  if (Number(state.split('\n')[3]) !== port) return undefined;
  const { uid, gid } = await stat(data);
  const own = process.getuid?.();
  return own === 0 || own === uid ? { port, data, pgCtl: join(bin, 'pg_ctl'), uid, gid } : undefined;
}

async function control({ pgCtl, data, uid, gid }: Worker, ...args: readonly string[]): Promise<void> {
  await run(pgCtl, ['-D', data, '-w', ...args], { cwd: '/', uid, gid });
}
