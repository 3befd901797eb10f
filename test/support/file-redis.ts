import { randomUUID } from 'node:crypto';
import { afterAll, inject } from 'vitest';
import { testStores, type TestStore } from './stores.ts';

/** Starts a Redis for a test file that needs no other part of the stack. */
export async function startFileRedis(): Promise<TestStore> {
  const stores = await testStores(inject('postgres').folder);
  const redis = await stores.startRedis(randomUUID());
  afterAll(() => redis.stop());
  return redis;
}
