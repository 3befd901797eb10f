import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { apiAt } from '../support/api.ts';
import { startWholeStack } from '../failure/whole-stack.ts';

const REVOKED_WITHIN_MS = 10_000;
const folder = await mkdtemp(join(tmpdir(), 'survey-revocation-'));
const stack = await startWholeStack({ folder });
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

it('rejects a revoked key within 10 s while NATS and Redis are unavailable, in use or not', async () => {
  const { operator, nats, redis } = stack;
  const [idle, inUse, kept] = [await operator.createAccount(), await operator.createAccount(), await operator.createAccount()];
  const api = apiAt(stack.gatewayUrl);
  const status = async ({ writeKey }: Account): Promise<number> => (await api.get('/v1/surveys', writeKey)).status;
  await Promise.all([nats.kill(), redis.kill()]);
  // Cached from now on, and for as short as possible before the revocation.
  for (const account of [idle, inUse, kept]) expect(await status(account)).toBe(200);
  for (const account of [idle, inUse]) await operator.revokeKey(account);
  const revokedAt = performance.now();
  while (performance.now() - revokedAt < REVOKED_WITHIN_MS) {
    await status(inUse);
    await sleep(250);
  }
  expect([await status(idle), await status(inUse), await status(kept)]).toEqual([401, 401, 200]);
});
