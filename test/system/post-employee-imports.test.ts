import { gzipSync } from 'node:zlib';
import { onFailpoint } from '@survey/process/failpoint.ts';
import { describe, expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { expectProblem, type Answer, type RequestHeaders } from '../support/api.ts';
import { holdAccount } from '../support/employees.ts';
import { shareStack } from '../support/file-stack.ts';
import { R, records } from '../support/records.ts';

const { api, db, operator, importAndWait, listEmployees } = await shareStack();

const post = ({ writeKey }: Account, body: unknown, headers: RequestHeaders = {}): Promise<Answer> =>
  api.post('/v1/employees/imports', body, writeKey, headers);
const importUuidOf = ({ body }: Answer): string => {
  expect(body).toEqual({ import_uuid: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  return Object.values(body as object).join('');
};
const accept = async (account: Account, body: unknown, headers: RequestHeaders = {}): Promise<string> => {
  const answer = await post(account, body, headers);
  expect(answer).toMatchObject({ status: 202 });
  return importUuidOf(answer);
};
const endOf = (account: Account, importUuid: string) => operator.importEnded(account.accountId, importUuid);

// Asserts that neither an import nor a chunk of a body is stored.
async function expectNoTrace({ accountId }: Account): Promise<void> {
  const { rows } = await db.query(
    'select from imports.import where account_id = $1 union all select from imports.payload where account_id = $1',
    [accountId],
  );
  expect(rows).toHaveLength(0);
}

describe('202', () => {
  it('returns exactly import_uuid, and applies the snapshot in the background [IMPORT-LIFECYCLE-ACCEPT-1]', async () => {
    const account = await operator.createAccount();
    const importUuid = await accept(account, { employees: [R(1)] });
    expect(await endOf(account, importUuid)).toMatchObject({ state: 'applied', counts: { created: 1 } });
    expect((await listEmployees(account)).employees).toMatchObject([
      { import_id: 'E1', email: 'e1@x.io', firstname: 'F1', lastname: 'L1', role: 'Respondee', is_deleted: false },
    ]);
  });

  it('takes a gzip body', async () => {
    const account = await operator.createAccount();
    const body = gzipSync(JSON.stringify({ employees: records(1, 3) }));
    await endOf(account, await accept(account, body, { 'content-encoding': 'gzip' }));
    expect((await listEmployees(account)).total_count).toBe(3);
  });

  it('stores an underscore in a value of firstname [IMPORT-REQUEST-SHAPE-5]', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, [R(1, { firstname: 'Mary_Ann' })]);
    expect((await listEmployees(account)).employees[0]?.firstname).toBe('Mary_Ann');
  });

  it.each([
    ['IMPORT-LIFECYCLE-CANCEL-1', ''],
    ['IMPORT-LIFECYCLE-CANCEL-1', '   '],
  ])('accepts the import_id "$1", cancels the import and changes nothing [$0]', async (_id, import_id) => {
    const account = await operator.createAccount();
    await importAndWait(account, [R(1)]);
    const before = await listEmployees(account);
    const outcome = await importAndWait(account, [R(1, { lastname: 'Changed' }), R(2, { import_id })]);
    expect(outcome.state).toBe('cancelled');
    expect(outcome.reasons).toMatchObject([{ code: 'import_id_blank', count: 1, records: [1] }]);
    expect(await listEmployees(account)).toEqual(before);
  });

  it('skips a byte order mark [IMPORT-REQUEST-JSON-1]', async () => {
    const account = await operator.createAccount();
    await endOf(account, await accept(account, `\uFEFF${JSON.stringify({ employees: [R(1)] })}`));
    expect((await listEmployees(account)).total_count).toBe(1);
  });

  it('takes a body without a Content-Type for JSON [IMPORT-REQUEST-ENCODING-2]', async () => {
    const account = await operator.createAccount();
    const body = Buffer.from(JSON.stringify({ employees: [R(1)] }));
    const answer = await api.send('POST', '/v1/employees/imports', { 'x-api-key': account.writeKey }, body);
    expect(answer).toMatchObject({ status: 202 });
  });

  it('accepts after a rejection, after an applied import and after a cancelled one [IMPORT-REQUEST-SHAPE-6, IMPORT-LIFECYCLE-ONE-2]', async () => {
    const account = await operator.createAccount();
    expectProblem(await post(account, {}), 400);
    expect(await importAndWait(account, [R(1)])).toMatchObject({ state: 'applied' });
    expect(await importAndWait(account, [R(2)])).toMatchObject({ state: 'cancelled' });
    expect(await importAndWait(account, [R(1)])).toMatchObject({ state: 'applied' });
  });

  it('accepts names of attributes and values of 255 characters [IMPORT-REQUEST-TEXTS-1]', async () => {
    const account = await operator.createAccount();
    const name = 'n'.repeat(255);
    await importAndWait(account, [R(1, { attributes: [{ name, value: { name } }] })]);
    expect((await listEmployees(account)).employees[0]?.attributes).toMatchObject([{ name, attribute_values: [{ name }] }]);
  });

  it('skips an employee with an empty e-mail address and applies the rest [IMPORT-EMAILS-8]', async () => {
    const account = await operator.createAccount();
    const outcome = await importAndWait(account, [R(1, { email: '' }), R(2)]);
    expect(outcome).toMatchObject({ state: 'applied', counts: { created: 1, skipped: 1 } });
    expect((await listEmployees(account)).employees).toMatchObject([{ import_id: 'E2' }]);
  });

  it('accepts another account’s import while one is running [IMPORT-LIFECYCLE-ONE-1]', async () => {
    const [busy, free] = [await operator.createAccount(), await operator.createAccount()];
    await using hold = await holdAccount(db, busy.accountId);
    const running = await accept(busy, { employees: [R(1)] });
    expect(await importAndWait(free, [R(1)])).toMatchObject({ state: 'applied' });
    await hold.letGo();
    expect(await endOf(busy, running)).toMatchObject({ state: 'applied' });
  });

  it('keeps import_ids apart that differ in case or in a space [IMPORT-IDENTITY-1]', async () => {
    const account = await operator.createAccount();
    const ids = ['e1', 'E1', 'E1 '];
    await importAndWait(
      account,
      ids.map((import_id, n) => R(n, { import_id })),
    );
    expect((await listEmployees(account)).employees.map(({ import_id }) => import_id)).toEqual(ids);
  });

  it('reads an Idempotency-Key as a structured field [IMPORT-LIFECYCLE-RETRY-1]', async () => {
    const account = await operator.createAccount();
    const send = (key: string) => post(account, { employees: [R(1)] }, { 'idempotency-key': key });
    const first = importUuidOf(await send('"night \\"1\\""'));
    for (const key of ['"night \\"1\\""', '"night \\"1\\"";retry=?1']) {
      const answer = await send(key);
      expect([importUuidOf(answer), answer.headers.get('idempotency-replayed')]).toEqual([first, 'true']);
    }
    for (const key of ['"open', '""', '"a" b', `"${'x'.repeat(256)}"`])
      expect(expectProblem(await send(key), 400).errors).toMatchObject([{ header: 'Idempotency-Key' }]);
  });

  it('answers the same Idempotency-Key and body with the same import_uuid, and imports once [IMPORT-LIFECYCLE-RETRY-1]', async () => {
    const account = await operator.createAccount();
    const key = { 'idempotency-key': 'once-1' };
    const original = await post(account, { employees: [R(1)] }, key);
    expect(original.headers.get('idempotency-replayed')).toBeNull();
    const first = importUuidOf(original);
    await endOf(account, first);
    const again = await post(account, { employees: [R(1)] }, key);
    expect([again.status, importUuidOf(again), again.headers.get('idempotency-replayed')]).toEqual([202, first, 'true']);
    const { rows } = await db.query('select from imports.import where account_id = $1', [account.accountId]);
    expect(rows).toHaveLength(1);
  });

  it('answers a request that arrives twice at once with one import_uuid [IMPORT-LIFECYCLE-RETRY-1]', async () => {
    const account = await operator.createAccount();
    const send = () => post(account, { employees: [R(1)] }, { 'idempotency-key': 'twice' });
    const waiting = "select from pg_stat_activity where wait_event_type = 'Lock' and query ~ 'insert into imports.import *\\n'";
    let second: Promise<Answer> | undefined;
    onFailpoint(async (name) => {
      if (name !== 'accept.written' || second !== undefined) return;
      second = send();
      // A worker of Citus does not show it. Shorter than it waits.
      for (const startedAt = performance.now(); performance.now() - startedAt < 500;)
        if ((await db.query(waiting)).rowCount === 1) return;
    });
    try {
      const first = importUuidOf(await send());
      const again = await second;
      expect(again).toMatchObject({ status: 202, body: { import_uuid: first } });
      expect(again?.headers.get('idempotency-replayed')).toBe('true');
    } finally {
      onFailpoint(undefined);
    }
  });

  it('imports a snapshot again under its key once a later one was accepted [IMPORT-LIFECYCLE-RETRY-4]', async () => {
    const account = await operator.createAccount({ threshold: '100' });
    const send = async (name: string, employees: unknown[]) => {
      const answer = await post(account, { employees }, { 'idempotency-key': name });
      expect([answer.status, answer.headers.get('idempotency-replayed')]).toEqual([202, null]);
      return endOf(account, importUuidOf(answer));
    };
    await send('hash-of-A', [R(1)]);
    await send('hash-of-B', [R(2)]);
    expect(await send('hash-of-A', [R(1)])).toMatchObject({ state: 'applied', counts: { reactivated: 1, offboarded: 1 } });
  });

  it('imports a cancelled snapshot again under its key, also with another body [IMPORT-LIFECYCLE-RETRY-4]', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, records(1, 4));
    const key = { 'idempotency-key': 'nightly' };
    const cancelled = await accept(account, { employees: [R(1)] }, key);
    expect(await endOf(account, cancelled)).toMatchObject({ state: 'cancelled' });
    await operator.connect(account.accountId, { threshold: '100' });
    const repeated = await accept(account, { employees: [R(1)] }, key);
    expect(await endOf(account, repeated)).toMatchObject({ state: 'applied', counts: { offboarded: 3 } });
    expect(repeated).not.toBe(cancelled);
    expect(
      await endOf(account, await accept(account, { employees: [R(5, { import_id: '' })] }, { 'idempotency-key': 'b' })),
    ).toMatchObject({
      state: 'cancelled',
    });
    expect(await endOf(account, await accept(account, { employees: [R(5)] }, { 'idempotency-key': 'b' }))).toMatchObject({
      state: 'applied',
    });
  });

  it('frees a key a day after its import was applied [IMPORT-LIFECYCLE-RETRY-4]', async () => {
    const account = await operator.createAccount();
    const key = { 'idempotency-key': 'yesterday' };
    const first = await accept(account, { employees: [R(1)] }, key);
    await endOf(account, first);
    const age = (interval: string) =>
      db.query('update imports.import set finished_at = now() - $2::interval where account_id = $1', [
        account.accountId,
        interval,
      ]);
    await age('23 hours');
    expect(await accept(account, { employees: [R(1)] }, key)).toBe(first);
    await age('25 hours');
    expect(await accept(account, { employees: [R(1)] }, key)).not.toBe(first);
  });

  it('cancels a queued import when the integration is disconnected, and changes nothing [IMPORT-LIFECYCLE-CANCEL-3]', async () => {
    const account = await operator.createAccount();
    // Fills all import slots, so that the next import is queued.
    const busy = await Promise.all(Array.from({ length: 4 }, () => operator.createAccount()));
    await using holds = new AsyncDisposableStack();
    for (const { accountId } of busy) holds.use(await holdAccount(db, accountId));
    await Promise.all(busy.map((other) => accept(other, { employees: [R(1)] })));
    const queued = await accept(account, { employees: [R(1)] });
    await operator.disconnect(account.accountId);
    await holds.disposeAsync();
    expect(await endOf(account, queued)).toMatchObject({ state: 'cancelled', counts: { created: 0 } });
    expect((await listEmployees(account)).total_count).toBe(0);
  });
});

describe('401', () => {
  it('rejects a missing and an unknown key [AUTH-KEY-1]', async () => {
    expectProblem(await api.post('/v1/employees/imports', { employees: [R(1)] }), 401);
    expectProblem(await api.post('/v1/employees/imports', { employees: [R(1)] }, 'nonsense'), 401);
  });
});

describe('403', () => {
  it('rejects a read key before it looks at the body, and queues nothing [AUTH-SCOPE-1]', async () => {
    const account = await operator.createAccount();
    const asReader = { ...account, writeKey: account.readKey };
    expectProblem(await post(asReader, { employees: [R(1)] }), 403);
    expectProblem(await post(asReader, '{"employees":['), 403);
    await expectNoTrace(account);
  });
});

describe('404', () => {
  it('answers 404 when the integration is not connected, also to an invalid body or query [AUTH-INTEGRATION-1, AUTH-ORDER-1]', async () => {
    const never = await operator.createAccount({ connected: false });
    const nowhere = await operator.createAccount();
    await operator.disconnect(nowhere.accountId);
    for (const account of [never, nowhere]) {
      expectProblem(await post(account, { employees: [R(1)] }), 404);
      expectProblem(await post(account, '{"employees":['), 404);
      expectProblem(await api.post('/v1/employees/imports?x=1', { employees: [R(1)] }, account.writeKey), 404);
      await expectNoTrace(account);
    }
  });
});

describe('405', () => {
  it('names POST as the method that is allowed [ERRORS-ROUTING-1]', async () => {
    const { readKey } = await operator.createAccount();
    const answer = await api.get('/v1/employees/imports', readKey);
    expectProblem(answer, 405);
    expect(answer.headers.get('allow')).toBe('POST');
  });
});

describe('409', () => {
  it('rejects a second snapshot while the first is running, which goes on unaffected [IMPORT-LIFECYCLE-ONE-1]', async () => {
    const account = await operator.createAccount();
    await using hold = await holdAccount(db, account.accountId);
    const first = await accept(account, { employees: [R(1)] });
    const second = await post(account, { employees: [R(2)] });
    expectProblem(second, 409);
    expect(second.body).not.toHaveProperty('import_uuid');
    await hold.letGo();
    expect(await endOf(account, first)).toMatchObject({ state: 'applied', counts: { created: 1 } });
    const { rows } = await db.query<{ import_uuid: string }>('select import_uuid from imports.import where account_id = $1', [
      account.accountId,
    ]);
    expect(rows).toEqual([{ import_uuid: first }]);
  });

  it('serves reads of the previous state meanwhile [IMPORT-LIFECYCLE-ATOMIC-1]', async () => {
    const account = await operator.createAccount();
    await endOf(account, await accept(account, { employees: [R(1)] }));
    await using hold = await holdAccount(db, account.accountId);
    const running = await accept(account, { employees: [R(1, { firstname: 'New' }), R(2)] });
    expect((await api.get('/v1/employees', account.readKey)).body).toMatchObject({
      total_count: 1,
      employees: [{ firstname: 'F1' }],
    });
    await hold.letGo();
    await endOf(account, running);
  });

  it('rejects an invalid body with 400 also while an import is running [AUTH-ORDER-1]', async () => {
    const account = await operator.createAccount();
    await using hold = await holdAccount(db, account.accountId);
    const running = await accept(account, { employees: [R(1)] });
    expectProblem(await post(account, { employees: [{}] }), 400);
    await hold.letGo();
    await endOf(account, running);
  });

  it('accepts exactly one of ten snapshots that come at the same instant [IMPORT-LIFECYCLE-ONE-1]', async () => {
    const account = await operator.createAccount();
    await using hold = await holdAccount(db, account.accountId);
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(account, { employees: [R(1)] })));
    await hold.letGo();
    const rejected = answers.filter(({ status }) => status === 409);
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(rejected).toHaveLength(9);
  });

  it('says when the running import has probably ended, judged by the last one [IMPORT-LIFECYCLE-RETRY-5]', async () => {
    const account = await operator.createAccount();
    const waitFor = async (employees: readonly unknown[]): Promise<number> => {
      await using hold = await holdAccount(db, account.accountId);
      const running = await accept(account, { employees });
      const rejected = await post(account, { employees });
      await hold.letGo();
      await endOf(account, running);
      return Number(rejected.headers.get('retry-after'));
    };
    expect(await waitFor(records(1, 2))).toBe(1);
    await db.query(
      `update imports.import set accepted_at = now() - interval '2 hours', finished_at = now() - interval '1 hour', employees_total = 3600000
       where account_id = $1`,
      [account.accountId],
    );
    const expected = await waitFor(records(1, 9_000));
    expect(expected).toBeGreaterThan(3);
    expect(expected).toBeLessThanOrEqual(9);
  });

  it('rejects another Idempotency-Key while an import is running [IMPORT-LIFECYCLE-RETRY-1]', async () => {
    const account = await operator.createAccount();
    await using hold = await holdAccount(db, account.accountId);
    await accept(account, { employees: [R(1)] }, { 'idempotency-key': 'a' });
    expectProblem(await post(account, { employees: [R(1)] }, { 'idempotency-key': 'b' }), 409);
    await hold.letGo();
  });
});

describe('422', () => {
  it('rejects an Idempotency-Key that came with another body before [IMPORT-LIFECYCLE-RETRY-1]', async () => {
    const account = await operator.createAccount();
    const key = { 'idempotency-key': 'once-2' };
    await endOf(account, await accept(account, { employees: [R(1)] }, key));
    expectProblem(await post(account, { employees: [R(1), R(2)] }, key), 422);
    expect((await listEmployees(account)).total_count).toBe(1);
  });
});
