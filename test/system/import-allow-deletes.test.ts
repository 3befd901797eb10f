import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Account, ImportOutcome } from '../support/accounts.ts';
import { holdAccount } from '../support/employees.ts';
import { shareStack } from '../support/file-stack.ts';
import { R, records } from '../support/records.ts';
import { surveyctlAt } from '../support/surveyctl.ts';

// The threshold override of one import (docs/rules/import-threshold.md).
const { api, db, stack, operator, importAndWait, listEmployees } = await shareStack();
const surveyctl = surveyctlAt(stack);

const released = z.strictObject({ import_uuid: z.uuid(), rerun_of: z.uuid().nullable() });

async function allowDeletes({ accountId }: Account, importUuid: string) {
  return surveyctl(['import', 'allow-deletes', importUuid, '--account', String(accountId), '--json']);
}

/** @param reason the ConflictReason; without it, it is not compared */
async function expectRejected(account: Account, importUuid: string, because: RegExp, reason?: string): Promise<void> {
  const { exitCode, stdout, stderr } = await allowDeletes(account, importUuid);
  expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 1, stdout: '', stderr: expect.stringMatching(because) });
  if (reason === undefined) return;
  const request = { account_id: account.accountId, import_uuid: importUuid };
  const call = { caller: { requestId: 'test' }, deadlineMs: 10_000 };
  await expect(operator.admin.allowDeletes(request, call)).rejects.toMatchObject({ code: 'conflict', reason });
}

/**
 * Creates an account with ten managed employees, and a snapshot of five that the threshold cancels.
 */
async function cancelled(snapshot: readonly unknown[] = records(1, 5)): Promise<{ account: Account; outcome: ImportOutcome }> {
  const account = await operator.createAccount();
  await importAndWait(account, records(1, 10));
  const outcome = await importAndWait(account, snapshot);
  expect(outcome.state).toBe('cancelled');
  return { account, outcome };
}

async function auditOf({ accountId }: Account): Promise<unknown[]> {
  const { rows } = await db.query<{ action: string; after: unknown }>(
    "select action, after, outcome, rejection from admin.audit where account_id = $1 and action like 'import.%' order by id",
    [accountId],
  );
  return rows;
}

describe('surveyctl import allow-deletes', () => {
  it('starts a cancelled snapshot again as a new import, once: the next one is judged again [IMPORT-THRESHOLD-3, IMPORT-THRESHOLD-8]', async () => {
    const { account, outcome } = await cancelled(records(1, 5).map((record) => ({ ...record, lastname: 'Changed' })));
    const { exitCode, stdout } = await allowDeletes(account, outcome.importUuid);
    const { import_uuid: importUuid, rerun_of } = released.parse(JSON.parse(stdout));
    expect({ exitCode, rerun_of }).toEqual({ exitCode: 0, rerun_of: outcome.importUuid });
    expect(importUuid).not.toBe(outcome.importUuid);
    expect(await operator.importEnded(account.accountId, importUuid)).toMatchObject({
      state: 'applied',
      counts: { updated: 5, offboarded: 5 },
    });
    const { employees } = await listEmployees(account);
    expect(employees.map(({ is_deleted }) => is_deleted)).toEqual([...Array(5).fill(false), ...Array(5).fill(true)]);
    expect((await operator.showImport(account.accountId, outcome.importUuid)).state).toBe('cancelled');

    await expectRejected(account, outcome.importUuid, /overridden already.*runs again as/, 'overridden_already');
    await expectRejected(account, importUuid, /overridden already/, 'overridden_already');
    expect(await importAndWait(account, records(1, 2))).toMatchObject({ state: 'cancelled' });
  });

  it('records the actor and the request in the audit log, also when it is rejected', async () => {
    const { account, outcome } = await cancelled();
    const { stdout } = await allowDeletes(account, outcome.importUuid);
    const ids = { import_uuid: outcome.importUuid, new_import_uuid: released.parse(JSON.parse(stdout)).import_uuid };
    await operator.importEnded(account.accountId, ids.new_import_uuid);
    await expectRejected(account, outcome.importUuid, /overridden already/);
    const again = { import_uuid: outcome.importUuid, new_import_uuid: expect.any(String) };
    expect(await auditOf(account)).toEqual([
      { action: 'import.allow-deletes', after: ids, outcome: 'done', rejection: null },
      {
        action: 'import.allow-deletes',
        after: again,
        outcome: 'rejected',
        rejection: 'overridden_already',
      },
    ]);
  });

  it('marks an import that still waits [IMPORT-THRESHOLD-7]', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, records(1, 10));
    // Fills all import slots.
    await using holds = new AsyncDisposableStack();
    for (let n = 0; n < 4; n++) {
      const busy = await operator.createAccount();
      holds.use(await holdAccount(db, busy.accountId));
      await api.post('/v1/employees/imports', { employees: [R(1)] }, busy.writeKey);
    }
    const ended = importAndWait(account, records(1, 5));
    const importUuid = await waitingImport(account);
    const { stdout } = await allowDeletes(account, importUuid);
    expect(released.parse(JSON.parse(stdout))).toEqual({ import_uuid: importUuid, rerun_of: null });
    await expectRejected(account, importUuid, /overridden already/);
    await holds.disposeAsync();
    expect(await ended).toMatchObject({ importUuid, state: 'applied', counts: { offboarded: 5 } });
  });

  it('rejects the override while an import runs, and after a newer one: an old snapshot must not overwrite a newer one [IMPORT-LIFECYCLE-ONE-1]', async () => {
    const { account, outcome } = await cancelled();
    const hold = await holdAccount(db, account.accountId);
    const newer = importAndWait(account, records(1, 10));
    const running = await waitingImport(account);
    await expectRejected(account, outcome.importUuid, /still running/);
    await expect.poll(() => isHeld(account, running)).toBe(true);
    await expectRejected(account, running, /being applied/, 'being_applied');
    await hold.letGo();
    const { importUuid } = await newer;
    await expectRejected(account, outcome.importUuid, new RegExp(`${importUuid} was accepted since`), 'newer_import');
    expect((await listEmployees(account)).employees.some(({ is_deleted }) => is_deleted)).toBe(false);
  });

  it('knows the newer import by its order, after a failover to a PostgreSQL whose clock is behind [IMPORT-LIFECYCLE-ONE-1]', async () => {
    const { account, outcome } = await cancelled();
    await db.query("update imports.import set accepted_at = accepted_at + interval '5 minutes' where account_id = $1", [
      account.accountId,
    ]);
    const { importUuid } = await importAndWait(account, records(1, 10));
    await expectRejected(account, outcome.importUuid, new RegExp(`${importUuid} was accepted since`), 'newer_import');
  });

  it('rejects the override of an import that was not cancelled by the threshold alone', async () => {
    const { account, outcome } = await cancelled([...records(1, 5), R(1)]);
    expect(outcome.reasons).toHaveLength(2);
    await expectRejected(account, outcome.importUuid, /also cancelled for other reasons/, 'other_reasons');
    const applied = await importAndWait(account, records(1, 10));
    await expectRejected(account, applied.importUuid, /is applied/, 'ended_otherwise');
    await expectRejected(account, randomUUID(), /has no import/);
    expect((await surveyctl(['import', 'allow-deletes', 'nonsense', '--account', '1'])).exitCode).toBe(2);
  });

  it('rejects the override while the integration is disconnected [IMPORT-LIFECYCLE-CANCEL-3]', async () => {
    const { account, outcome } = await cancelled();
    await operator.disconnect(account.accountId);
    await expectRejected(account, outcome.importUuid, /not connected/);
  });

  it('rejects the import of another account [AUTH-TENANCY-1]', async () => {
    const { outcome } = await cancelled();
    await expectRejected(await operator.createAccount(), outcome.importUuid, /has no import/);
  });

  it('tells people what to do next', async () => {
    const { account, outcome } = await cancelled();
    const { exitCode, stdout } = await surveyctl([
      'import',
      'allow-deletes',
      outcome.importUuid,
      '--account',
      String(account.accountId),
    ]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining('surveyctl import watch') });
  });
});

async function isHeld({ accountId }: Account, importUuid: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'select from imports.import where account_id = $1 and import_uuid = $2 for update skip locked',
    [accountId, importUuid],
  );
  return rowCount === 0;
}

async function waitingImport({ accountId }: Account): Promise<string> {
  const read = async (): Promise<string | undefined> => {
    const { rows } = await db.query<{ import_uuid: string }>(
      'select import_uuid from imports.import where account_id = $1 and finished_at is null',
      [accountId],
    );
    return rows[0]?.import_uuid;
  };
  await expect.poll(read).toBeDefined();
  return (await read()) ?? '';
}
