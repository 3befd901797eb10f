import { afterAll, expect, it } from 'vitest';
import { startFileStack } from '../support/file-stack.ts';
import { records } from '../support/records.ts';
import { fuzz } from '../failure/fuzz-run.ts';

// A small size; tools/faults/fuzz.ts runs the full size. FUZZ_SEED repeats a run.
const { db, operator, importAndWait, stack } = await startFileStack();
const account = await operator.createAccount({ threshold: '0' });
const other = await operator.createAccount();
const CASES = 5_000;
const seed = Number(process.env['FUZZ_SEED'] ?? 1);

const rejections: unknown[] = [];
const note = (error: unknown): void => {
  rejections.push(error);
};
process.on('unhandledRejection', note);
afterAll(() => {
  process.off('unhandledRejection', note);
});

// All tables that requests of an account can change.
async function stateOf(accountId: number): Promise<unknown> {
  const tables = [
    'imports.employee',
    'imports.import',
    'imports.payload',
    'imports.attribute',
    'imports.attribute_option',
    'admin.audit',
  ];
  const counts = tables.map((table) => `(select count(*)::integer from ${table} where account_id = $1) as "${table}"`);
  return (await db.query(`select ${counts.join(', ')}`, [accountId])).rows[0];
}

it(
  `returns no 500 and changes nothing in rejected requests for ${CASES} cases of seed ${seed} [ERRORS-STATUS-1]`,
  { timeout: 400_000 },
  async () => {
    await importAndWait(other, records(1, 3));
    const before = await stateOf(other.accountId);
    const target = { address: stack.services.gateway.address, writeKey: account.writeKey };
    const { faults, accepted, statuses } = await fuzz(target, seed, CASES);
    expect(faults).toEqual([]);
    expect(rejections).toEqual([]);
    // Enough cases passed validation.
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 202, 400, 404, 405]));
    for (const importUuid of accepted) await operator.importEnded(account.accountId, importUuid);
    const { rows } = await db.query<{ import_uuid: string }>(
      `select import_uuid from imports.import where account_id = $1
     union select import_uuid from imports.payload where account_id = $1`,
      [account.accountId],
    );
    // Accepted imports exist; rejected ones left no chunk.
    expect(new Set(rows.map(({ import_uuid }) => import_uuid))).toEqual(new Set(accepted));
    expect(await stateOf(other.accountId)).toEqual(before);
    expect(await importAndWait(other, records(1, 3))).toMatchObject({ state: 'applied' });
  },
);
