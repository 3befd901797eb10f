import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import type { Account, ImportOutcome } from '../support/accounts.ts';
import type { Answer } from '../support/api.ts';
import { startCitusServer } from '../support/citus.ts';
import { startFileStack } from '../support/file-stack.ts';
import { R, records } from '../support/records.ts';

const run = promisify(execFile);
const PG_CTL = '/usr/lib/postgresql/15/bin/pg_ctl';
const EMPLOYEES = 20_000;

// Other files must not lose their worker: this one has a cluster of its own.
describe.runIf(process.env['TEST_BACKEND'] === 'citus')('a worker that is killed during an import', async () => {
  const { rolePasswords, folder } = inject('postgres');
  const own = join(folder, 'worker');
  await mkdir(own, { recursive: true });
  const { server, stop } = await startCitusServer({ rolePasswords, folder: own }, undefined);
  afterAll(stop);
  const { api, operator, db, importAndWait, listEmployees } = await startFileStack({}, undefined, server);

  it('makes only its own accounts unavailable: imports of others are applied, its own once it is back', async () => {
    const [lost, other] = await accountsOnTwoWorkers();
    await importAndWait(lost, records(1, 100));
    await importAndWait(other, records(1, 100));
    const worker = await dataOfWorker(lost);

    const accepted = await api.post('/v1/employees/imports', { employees: records(1, EMPLOYEES) }, lost.writeKey);
    expect(accepted).toMatchObject({ status: 202 });
    await expect.poll(() => isWriting(), { interval: 20 }).toBe(true);
    await asPostgres('-D', worker, '-m', 'immediate', '-w', 'stop');

    await expect.poll(async () => (await api.get('/v1/employees?limit=1', lost.readKey)).status).toBe(503);
    expect(await listEmployees(other)).toMatchObject({ total_count: 100 });
    const meanwhile = await importAndWait(other, [...records(2, 120), { ...R(1), lastname: 'Changed', reports_to_id: 'E2' }]);
    expect(meanwhile).toMatchObject({ state: 'applied', counts: { created: 20, updated: 1, unchanged: 99 } });
    expect(await importAndWait(other, records(3, 120))).toMatchObject({
      state: 'applied',
      counts: { offboarded: 2, unchanged: 118 },
    });

    await asPostgres('-D', worker, '-l', join(worker, 'server.log'), '-w', 'start');
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

  async function dataOfWorker(account: Account): Promise<string> {
    const port = await portOf(account);
    for (const name of ['worker1', 'worker2'])
      if (Number(await readFile(join(own, 'citus', `${name}.port`), 'utf8')) === port) return join(own, 'citus', name);
    throw new Error('expected a worker with the account');
  }

  async function isWriting(): Promise<boolean> {
    const { rows } = await db.query<{ is: boolean }>(
      `select exists (select from pg_stat_activity where usename = 'survey_imports' and query ~ 'insert into imports.employee') as is`,
    );
    return rows[0]?.is ?? false;
  }
});

async function asPostgres(...args: readonly string[]): Promise<void> {
  await run('setpriv', ['--reuid=postgres', '--regid=postgres', '--init-groups', PG_CTL, ...args], { cwd: '/' });
}
