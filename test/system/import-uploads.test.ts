import { request as httpRequest, type ClientRequest } from 'node:http';
import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { expectProblem } from '../support/api.ts';
import { shareStack } from '../support/file-stack.ts';
import { R, records } from '../support/records.ts';

const { api, db, stack, operator, importAndWait } = await shareStack();
const url = `http://${stack.services.gateway.address}/v1/employees/imports`;

const FIRST_RECORD = `{"employees":[${JSON.stringify(R(1))}`;

/** Starts an upload that ends when the test says so. */
function beginUpload({ writeKey }: Account, beginning: string): ClientRequest {
  const headers = { 'X-Api-Key': writeKey, 'Content-Type': 'application/json', Expect: '100-continue' };
  const request = httpRequest(url, { method: 'POST', headers, agent: false });
  request.once('continue', () => request.write(beginning)).flushHeaders();
  return request;
}

/** Starts an upload, and waits until the gateway has accepted the key and requests the body. */
async function begunUpload(account: Account): Promise<ClientRequest> {
  const upload = beginUpload(account, FIRST_RECORD);
  await once(upload, 'continue');
  return upload;
}

async function endUpload(request: ClientRequest, end: string): Promise<{ status: number | undefined; body: unknown }> {
  request.end(end);
  const [response] = await once(request, 'response');
  return { status: response.statusCode, body: await json(response) };
}

async function importsOf({ accountId }: Account): Promise<number> {
  const { rows } = await db.query<{ count: number }>('select count(*)::int from imports.import where account_id = $1', [
    accountId,
  ]);
  return rows[0]?.count ?? 0;
}

describe('an upload whose key loses its permission before the end', () => {
  it('is 401 when the key was revoked meanwhile, and imports nothing', async () => {
    const account = await operator.createAccount();
    const upload = await begunUpload(account);
    await operator.revokeKey(account);
    expect(await endUpload(upload, ']}')).toMatchObject({
      status: 401,
      body: { detail: expect.stringMatching(/revoked during the upload/) },
    });
    expect(await importsOf(account)).toBe(0);
  });

  it('is 403 when the key lost its scope meanwhile', async () => {
    const account = await operator.createAccount();
    const upload = await begunUpload(account);
    await db.query("update admin.api_key set scope = 'read' where key_id = $1", [account.writeKeyId]);
    expect((await endUpload(upload, ']}')).status).toBe(403);
    expect(await importsOf(account)).toBe(0);
  });

  it('is 404 when the integration was disconnected meanwhile', async () => {
    const account = await operator.createAccount();
    const upload = await begunUpload(account);
    await operator.disconnect(account.accountId);
    expect((await endUpload(upload, ']}')).status).toBe(404);
    expect(await importsOf(account)).toBe(0);
  });
});

describe('uploads of one account', () => {
  it('read nothing about employees before the first record is valid', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, records(1, 3));
    const locker = await db.connect();
    try {
      await locker.query('begin; lock table imports.employee, imports.account_state in access exclusive mode');
      for (const body of ['{}', '{"employees":[]}', '{"employees":[{"import_id":1}]}'])
        expectProblem(await api.post('/v1/employees/imports', body, account.writeKey), 400);
    } finally {
      await locker.query('rollback');
      locker.release();
    }
  });

  it('are checked while other transactions add and remove employees', async () => {
    const account = await operator.createAccount();
    await importAndWait(account, records(1, 3));
    let isOver = false;
    const change = async (): Promise<void> => {
      while (!isOver) {
        await db.query(ADD_EMPLOYEES, [account.accountId]);
        await db.query(REMOVE_EMPLOYEES, [account.accountId]);
      }
    };
    const changing = change();
    const statuses = new Set<number>();
    for (let n = 0; n < 200; n += 1)
      statuses.add((await api.post('/v1/employees/imports', { employees: [R(9), {}] }, account.writeKey)).status);
    isOver = true;
    await changing;
    expect([...statuses]).toEqual([400]);
  });

  it('do not block another account while 40 of them stall and 16 are rejected repeatedly', async () => {
    const [attacker, victim] = [await operator.createAccount(), await operator.createAccount()];
    await importAndWait(attacker, [R(1)]);
    await offboardMany(attacker, 130_000);
    const slow = Array.from({ length: 40 }, () => beginUpload(attacker, `${FIRST_RECORD},`));
    const slowStatuses = slow.map((request) => once(request, 'response').then(([response]) => response.resume().statusCode));
    let isOver = false;
    const rejected = new Set<number>();
    const reject = async (): Promise<void> => {
      while (!isOver) rejected.add((await api.post('/v1/employees/imports', '{}', attacker.writeKey)).status);
    };
    const attack = Array.from({ length: 16 }, reject);
    for (let n = 1; n <= 3; n++) expect(await importAndWait(victim, records(1, n))).toMatchObject({ state: 'applied' });
    isOver = true;
    await Promise.all(attack);
    for (const request of slow) request.end();
    // 400: the body ended too early; 408: it stalled for 10 s; 503: it was queued for 10 s.
    for (const status of await Promise.all(slowStatuses)) expect([400, 408, 503]).toContain(status);
    for (const status of rejected) expect([400, 503]).toContain(status);
    await expect.poll(() => chunksOf(attacker)).toBe(0);
  });
});

const ADD_EMPLOYEES = `
  with added as (
    insert into imports.employee (account_id, id, position, created_via, import_id, email, email_key, content_hash)
    select $1::bigint, 2000000000 + n, 10 + n, 'import_api', 'new' || n, n || '@y.io', n || '@y.io', md5(n::text)::uuid
    from generate_series(1, 3) n
  )
  update imports.account_state set employees = employees + 3 where account_id = $1`;
const REMOVE_EMPLOYEES = `
  with removed as (delete from imports.employee where account_id = $1 and position > 10)
  update imports.account_state set employees = employees - 3 where account_id = $1`;

async function offboardMany({ accountId }: Account, count: number): Promise<void> {
  await db.query(
    `insert into imports.employee (account_id, id, position, created_via, import_id, email, is_deleted)
     select $1::bigint, 2000000000 + n, n + 1, 'import_api', 'gone' || n, '', true from generate_series(1, $2::int) n`,
    [accountId, count],
  );
  await db.query('update imports.account_state set employees = $2 + 1 where account_id = $1', [accountId, count]);
}

async function chunksOf({ accountId }: Account): Promise<number> {
  const { rows } = await db.query<{ count: number }>('select count(*)::int from imports.payload where account_id = $1', [
    accountId,
  ]);
  return rows[0]?.count ?? 0;
}
