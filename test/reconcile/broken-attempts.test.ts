import { randomUUID } from 'node:crypto';
import { PLAN_VERSION, reconcileImport } from '@survey/import-reconciler/apply/import-lifecycle.ts';
import { PhaseClock } from '@survey/import-reconciler/apply/import-phases.ts';
import type { Pool } from '@survey/postgres/database.ts';
import { openDatabase } from '@survey/postgres/open-database.ts';
import { createLog } from '@survey/process/log.ts';
import { toolOf } from '@survey/process/tool.ts';
import { expect, it } from 'vitest';
import { createReconcilingAccount, openReconcilerDatabase, RECONCILING } from '../support/import/reconciling-account.ts';
import { AROUND, newWorkforce, R } from './workforce.ts';

const database = await openReconcilerDatabase();
const { db, pool } = database;

// Invalid JSON: an accepted body is read again, but not validated again.
async function acceptUnreadable(accountId: number): Promise<string> {
  const importUuid = randomUUID();
  await db.query(`insert into imports.payload (account_id, import_uuid, chunk, data) values ($1, $2, 0, '{"employees":[{]}')`, [
    accountId,
    importUuid,
  ]);
  await db.query(
    `insert into imports.import (account_id, import_uuid, plan_version, content_encoding, employees_total) values ($1, $2, $3, 'identity', 1)`,
    [accountId, importUuid, PLAN_VERSION],
  );
  return importUuid;
}

it('unlocks the account at once when an attempt fails, and gives up after five failures of the import itself [IMPORT-LIFECYCLE-RETRY-2]', async () => {
  const people = await newWorkforce(database, [R(1)]);
  const { accountId } = people.account;
  const job = { accountId, importUuid: await acceptUnreadable(accountId) };
  const attempt = async () => {
    await makeDue(job.importUuid);
    return reconcileImport(job, {
      pool,
      log: createLog('test', 'silent'),
      ...RECONCILING,
      clock: new PhaseClock('wait'),
      progress: () => {},
    });
  };
  for (let attempts = 1; attempts <= 5; attempts++) {
    await expect(attempt()).rejects.toThrow('/employees/0');
    // An open COPY would hold the lock, and the rollback would wait indefinitely.
    await db.query('select from imports.account_state where account_id = $1 for update nowait', [accountId]);
  }
  expect(await attempt()).toMatchObject({ state: 'failed', reasons: [{ code: 'attempts_failed', count: 5 }] });
  expect(await attempt()).toBeUndefined();
  const { rowCount: mails } = await db.query('select from imports.mail where import_uuid = $1', [job.importUuid]);
  expect(mails).toBe(1);
  expect(await people.import([R(1)])).toMatchObject({ counts: { unchanged: 1 } });
});

it('gives up after two attempts that ended their process, and counts none that ended with an error [IMPORT-LIFECYCLE-RETRY-3]', async () => {
  const people = await newWorkforce(database, [R(1)]);
  const { accountId } = people.account;
  const job = { accountId, importUuid: await acceptUnreadable(accountId) };
  const attempt = async () => {
    await makeDue(job.importUuid);
    return reconcileImport(job, {
      pool,
      log: createLog('test', 'silent'),
      ...RECONCILING,
      clock: new PhaseClock('wait'),
      progress: () => {},
    });
  };
  const recorded = async () =>
    (await db.query('select in_progress, deaths from imports.attempt where import_uuid = $1', [job.importUuid])).rows;
  // As a process that dies leaves it.
  const die = () => db.query('update imports.attempt set in_progress = true where import_uuid = $1', [job.importUuid]);
  await expect(attempt()).rejects.toThrow('/employees/0');
  expect(await recorded()).toEqual([{ in_progress: false, deaths: 0 }]);
  await die();
  await expect(attempt()).rejects.toThrow('/employees/0');
  expect(await recorded()).toEqual([{ in_progress: false, deaths: 1 }]);
  await die();
  const reasons = [{ code: 'process_ended', count: 2 }];
  expect(await attempt()).toMatchObject({ state: 'failed', reasons });
  expect(await recorded()).toEqual([]);
  expect(await people.import([R(1)])).toMatchObject({ counts: { unchanged: 1 } });
  expect(await recorded()).toEqual([]);
});

it('counts no attempt that fails for lack of connections, delays the next one, and gives up after a day [IMPORT-LIFECYCLE-RETRY-2]', async () => {
  const people = await newWorkforce(database, [R(1)]);
  const { accountId } = people.account;
  const job = { accountId, importUuid: await acceptUnreadable(accountId) };
  const attempt = (using: Pool) =>
    reconcileImport(job, {
      pool: using,
      log: createLog('test', 'silent'),
      ...RECONCILING,
      clock: new PhaseClock('wait'),
      progress: () => {},
    });
  // An attempt needs two connections at once.
  const tool = toolOf('test');
  await using _resources = tool.resources;
  const url = pool.options.connectionString ?? '';
  const short = openDatabase({ url, name: 'short', maxConnections: 1, connectTimeoutMs: 1_000 }, tool);
  for (let attempts = 1; attempts <= 7; attempts++) {
    await makeDue(job.importUuid);
    await expect(attempt(short)).rejects.toThrow('no database connection');
  }
  expect(await attempt(pool)).toBeUndefined();
  expect(await attemptsOf(job.importUuid)).toEqual({ attempts: 7, failed_attempts: 0, is_delayed: true });
  await db.query(
    "update imports.import set attempts = 100, first_attempt_at = now() - interval '25 hours' where import_uuid = $1",
    [job.importUuid],
  );
  await makeDue(job.importUuid);
  expect(await attempt(pool)).toMatchObject({ state: 'failed', reasons: [{ code: 'service_faults', count: 24 }] });
});

function makeDue(importUuid: string): Promise<unknown> {
  return db.query('update imports.import set next_attempt_at = now() where import_uuid = $1', [importUuid]);
}

async function attemptsOf(importUuid: string): Promise<unknown> {
  const { rows } = await db.query(
    `select attempts, failed_attempts, next_attempt_at - now() between interval '32 seconds' and interval '64 seconds' as is_delayed
     from imports.import where import_uuid = $1`,
    [importUuid],
  );
  return rows[0];
}

it('facts about an account whose lock is held come back in two seconds, later ones at once', async () => {
  const account = await createReconcilingAccount(database);
  await account.importSnapshot([R(1)], AROUND);
  const holder = await db.connect();
  await holder.query('begin');
  await holder.query('select from imports.account_state where account_id = $1 for update', [account.accountId]);
  const fact = {
    revision: 1,
    line: 0,
    employee_edit: { employee: { import_id: 'E1' }, role: 'Coach', attributes: [], cleared: [] },
  };
  const startedAt = performance.now();
  await expect(account.tell([fact])).rejects.toThrow('are being changed');
  const waitedMs = performance.now() - startedAt;
  await expect(account.tell([fact])).rejects.toThrow('an import of the account is running');
  expect(performance.now() - startedAt - waitedMs).toBeLessThan(waitedMs / 2);
  await holder.query('rollback');
  holder.release();
});
