import { expect, it } from 'vitest';
import { holdAccount } from '../support/employees.ts';
import { startFileStack } from '../support/file-stack.ts';
import { acceptImport } from '../support/import/stored-snapshot.ts';

const { operator, db } = await startFileStack();

/** Accepts an import as if the bus had lost its message. */
async function acceptUnheard(accountId: number): Promise<string> {
  const snapshot = [{ import_id: 'E1', email: 'e1@x.io', firstname: 'F1', lastname: 'L1' }];
  const around = { defaultLanguage: 'de', threshold: '20', year: 2026, deletesAllowed: false };
  return acceptImport(db, { accountId, snapshot, around });
}

it('imports whose messages are lost are found, and none waits for that of another account [IMPORT-LIFECYCLE-ONE-2]', async () => {
  const [slow, quick] = [await operator.createAccount(), await operator.createAccount()];
  const hold = await holdAccount(db, slow.accountId);
  const slowImport = await acceptUnheard(slow.accountId);
  const quickImport = await acceptUnheard(quick.accountId);
  expect(await operator.importEnded(quick.accountId, quickImport)).toMatchObject({ state: 'applied', counts: { created: 1 } });
  expect((await operator.showImport(slow.accountId, slowImport)).state).toBe('accepted');
  await hold.letGo();
  expect(await operator.importEnded(slow.accountId, slowImport)).toMatchObject({ state: 'applied', counts: { created: 1 } });
});
