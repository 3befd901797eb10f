import { randomUUID } from 'node:crypto';
import { reconcileImport } from '@survey/import-reconciler/jobs/reconcile-import.ts';
import { PLAN_VERSION } from '@survey/import-reconciler/sql/import-row.ts';
import { createLog } from '@survey/process/log.ts';
import { expect, it } from 'vitest';
import { createReconcilingAccount, openReconcilerDatabase } from '../property/reconciling-account.ts';
import { AROUND, newWorkforce, R } from './workforce.ts';

const database = await openReconcilerDatabase();
const { db, pool } = database;

// A body that is no JSON any more: what was accepted is read again, though not judged again.
async function acceptUnreadable(accountId: number): Promise<string> {
  const importUuid = randomUUID();
  await db.query(`insert into imports.payload (account_id, import_uuid, piece, data) values ($1, $2, 0, '{"employees":[{]}')`, [
    accountId,
    importUuid,
  ]);
  await db.query(
    `insert into imports.import (account_id, import_uuid, plan_version, content_encoding, employees_total) values ($1, $2, $3, 'identity', 1)`,
    [accountId, importUuid, PLAN_VERSION],
  );
  return importUuid;
}

it('an attempt that breaks off lets go of the account at once, and the fifth is the last', { timeout: 20_000 }, async () => {
  const people = await newWorkforce(database, [R(1)]);
  const { accountId } = people.account;
  const job = { accountId, importUuid: await acceptUnreadable(accountId) };
  const attempt = () => reconcileImport(job, { pool, log: createLog('test', 'silent'), retentionDays: 30, progress: () => {} });
  for (let attempts = 1; attempts <= 5; attempts++) {
    await expect(attempt()).rejects.toThrow('/employees/0');
    // A COPY left open would hold the lock, and the rollback behind it would wait for ever.
    await db.query('select from imports.account_state where account_id = $1 for update nowait', [accountId]);
  }
  expect(await attempt()).toMatchObject({ state: 'failed', cancelReasons: ['given up after 5 attempts'] });
  expect(await attempt()).toBeUndefined();
  expect(await people.import([R(1)])).toMatchObject({ counts: { unchanged: 1 } });
});

it('facts about an account whose lock is held come back in two seconds, later ones at once', { timeout: 20_000 }, async () => {
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
  await expect(account.tell([fact])).rejects.toThrow('are being written');
  const waitedMs = performance.now() - startedAt;
  await expect(account.tell([fact])).rejects.toThrow('an import has the account');
  expect(performance.now() - startedAt - waitedMs).toBeLessThan(waitedMs / 2);
  await holder.query('rollback');
  holder.release();
});
