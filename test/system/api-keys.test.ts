import { createApiKey } from '@survey/formats/api-key.ts';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { expectProblem, type Problem } from '../support/api.ts';
import { shareStack } from '../support/file-stack.ts';
import { R } from '../support/records.ts';
import { scrape } from '../support/scrape.ts';
import { onDay } from '../support/year-log.ts';

// Public API keys on every endpoint (docs/rules/authentication.md).
const { api, db, operator, stack, importAndWait } = await shareStack();
const AS_OPERATOR = { caller: { requestId: 'test' }, deadlineMs: 5_000 };

const get = (key: string) => api.get('/v1/employees', key);
// Without the request id, the only part that may differ.
const rejection = async (key: string): Promise<Omit<Problem, 'instance'>> => {
  const { instance: _instance, ...rest } = expectProblem(await get(key), 401);
  return rest;
};

describe('200', () => {
  it('takes a new key at once, and a second one beside it', async () => {
    const { accountId, readKey } = await operator.createAccount();
    const { key } = await operator.admin.createKey({ account_id: accountId, scope: 'read' }, AS_OPERATOR);
    for (const each of [readKey, key]) expect(await get(each)).toMatchObject({ status: 200 });
  });

  it('keeps accepting the key of another account when one is revoked', async () => {
    const [one, other] = [await operator.createAccount(), await operator.createAccount()];
    await operator.admin.revokeKey({ account_id: one.accountId, key_id: one.writeKeyId }, AS_OPERATOR);
    expect(await get(other.writeKey)).toMatchObject({ status: 200 });
    expect(await get(one.readKey)).toMatchObject({ status: 200 });
  });
});

describe('401', () => {
  it('rejects a well-formed key that was never issued exactly as a malformed one [AUTH-KEY-1]', async () => {
    const { key } = createApiKey('read');
    expect(await rejection(key)).toEqual(await rejection('no-key'));
    // Both from the cache and from the database.
    expect(await rejection(key)).toEqual(await rejection('no-key'));
  });

  it('rejects a revoked key everywhere within a second, exactly as an unknown one [AUTH-KEY-2]', async () => {
    const account = await operator.createAccount();
    expect(await get(account.writeKey)).toMatchObject({ status: 200 });
    await operator.admin.revokeKey({ account_id: account.accountId, key_id: account.writeKeyId }, AS_OPERATOR);
    await expect.poll(async () => (await get(account.writeKey)).status, { timeout: 1_000, interval: 20 }).toBe(401);
    expect(await rejection(account.writeKey)).toEqual(await rejection(createApiKey('employees:write').key));
    const answer = await api.post('/v1/employees/imports', { employees: [R(1)] }, account.writeKey);
    expectProblem(answer, 401);
    onDay(90, 'an API key of a customer is revoked: every gateway rejects it within a second');
  });

  it('rejects a key that was revoked with a grace period from its end on [AUTH-KEY-2]', async () => {
    const { accountId: account_id, writeKey, writeKeyId: key_id } = await operator.createAccount();
    const revoke = (grace_seconds: number) => operator.admin.revokeKey({ account_id, key_id, grace_seconds }, AS_OPERATOR);
    const { revoked_at, ends_at } = await revoke(2);
    expect([revoked_at, ends_at]).toEqual([null, expect.any(String)]);
    expect(await get(writeKey)).toMatchObject({ status: 200 });
    // A longer period does not postpone the end.
    expect(await revoke(604_800)).toMatchObject({ ends_at });
    await expect.poll(async () => (await get(writeKey)).status, { timeout: 4_000, interval: 50 }).toBe(401);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(String(ends_at)));
    await expect(revoke(604_801)).rejects.toMatchObject({ code: 'invalid' });
    // A rotation would replace the ended key by a valid one.
    const rotation = operator.admin.rotateKey({ account_id, key_id, grace_seconds: 0 }, AS_OPERATOR);
    await expect(rotation).rejects.toMatchObject({ code: 'conflict' });
  });

  it('rejects the hash of a key in place of the key', async () => {
    const { readKey } = await operator.createAccount();
    const { rows } = await db.query<{ hash: Buffer }>('select hash from admin.api_key');
    expect(rows.length).toBeGreaterThan(0);
    for (const { hash } of rows) await rejection(hash.toString('hex'));
    expect(JSON.stringify(rows)).not.toContain(readKey);
  });
});

describe('403', () => {
  it('lets a read key read and not write [AUTH-SCOPE-1, AUTH-SCOPE-2]', async () => {
    const { readKey } = await operator.createAccount();
    expect(await get(readKey)).toMatchObject({ status: 200 });
    expectProblem(await api.post('/v1/employees/imports', { employees: [R(1)] }, readKey), 403);
  });

  it('lets a write key do both [AUTH-SCOPE-2]', async () => {
    const account = await operator.createAccount();
    expect(await importAndWait(account, [R(1)])).toMatchObject({ state: 'applied' });
    expect(await get(account.writeKey)).toMatchObject({ status: 200, body: { total_count: 1 } });
  });
});

it('counts a command that Redis rejects for lack of memory, and serves the request', async () => {
  const redis = new Redis(stack.redisUrl);
  const rejectedCommands = async (): Promise<number> => {
    const samples = await scrape(stack.services.gateway.probeAddress);
    return samples.find(({ name }) => name === 'redis_commands_rejected_total')?.value ?? Number.NaN;
  };
  try {
    const before = await rejectedCommands();
    await redis.config('SET', 'maxmemory', '1', 'maxmemory-policy', 'noeviction');
    const { readKey } = await operator.createAccount();
    expect(await get(readKey)).toMatchObject({ status: 200 });
    await expect.poll(rejectedCommands).toBeGreaterThan(before);
  } finally {
    await redis.config('SET', 'maxmemory', '0');
    redis.disconnect();
  }
});
