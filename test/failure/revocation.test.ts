import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { apiAt } from '../support/api.ts';
import { startWholeStack } from './whole-stack.ts';

// S4 without notifications: maximum time for which a gateway caches a key.
const REVOKED_WITHIN_MS = 10_000;
// Tolerance for a busy machine.
const LEEWAY_MS = 5_000;
const folder = await mkdtemp(join(tmpdir(), 'survey-revocation-'));
const stack = await startWholeStack({ folder });
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

it('rejects a revoked key within 10 s while NATS and Redis are unavailable [S4]', async () => {
  const { operator, nats, redis } = stack;
  const { accountId, writeKey, writeKeyId, readKey } = await operator.createAccount();
  const api = apiAt(stack.gatewayUrl);
  const status = async (key: string): Promise<number> => (await api.get('/v1/surveys', key)).status;
  expect([await status(writeKey), await status(readKey)]).toEqual([200, 200]);
  await Promise.all([nats.kill(), redis.kill()]);
  expect(await status(writeKey)).toBe(200);
  const asked = { caller: { requestId: 'test' }, deadlineMs: 10_000 };
  await operator.admin.revokeKey({ account_id: accountId, key_id: writeKeyId }, asked);
  await expect.poll(() => status(writeKey), { timeout: REVOKED_WITHIN_MS + LEEWAY_MS, interval: 100 }).toBe(401);
  expect(await status(readKey)).toBe(200);
});
