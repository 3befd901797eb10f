import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { shareStack } from '../support/file-stack.ts';
import { R } from '../support/records.ts';

const { api, db, operator, listEmployees } = await shareStack();

it('accepts and applies 200,000 employees [IMPORT-REQUEST-SIZE-2]', { timeout: 180_000 }, async () => {
  const large = await operator.createAccount();
  const body = gzipSync(JSON.stringify({ employees: Array.from({ length: 200_000 }, (_, n) => wide(n)) }), { level: 1 });
  const answer = await api.post('/v1/employees/imports', body, large.writeKey, { 'content-encoding': 'gzip' });
  expect(answer).toMatchObject({ status: 202, body: { import_uuid: expect.any(String) } });
  const { rows } = await db.query<{ import_uuid: string }>('select import_uuid from imports.import where account_id = $1', [
    large.accountId,
  ]);
  const outcome = await operator.importEnded(large.accountId, rows[0]?.import_uuid ?? '');
  expect(outcome).toMatchObject({ state: 'applied', counts: { created: 200_000 } });
  const { total_count, employees } = await listEmployees(large, '?offset=199999');
  expect(total_count).toBe(200_000);
  expect(employees).toMatchObject([{ import_id: 'E199999' }]);
});

// About 500 bytes, like a real record.
function wide(n: number): object {
  const names = ['Country', 'Department', 'Cost center', 'Location', 'Seniority group', 'Team'];
  const attributes = names.map((name, index) => ({
    name,
    value: { name: `${name} number ${(n * (index + 7)) % (40 * (index + 1))}` },
  }));
  return R(n, { attributes });
}
