import { createLog } from '@survey/process/log.ts';
import { createMetrics } from '@survey/process/metrics.ts';
import { expect, it } from 'vitest';
import { batchLookups, type ApiCaller, type FindKey, type FindKeys } from './find-api-keys.ts';

const context = () => ({ log: createLog('test', 'silent'), metrics: createMetrics('test') });
const hashOf = (n: number) => Buffer.from(String(n));
const callerOf = (hash: Buffer): ApiCaller => ({ accountId: Number(hash), keyId: 'k', scope: 'read', rateLimit: null });
const all = (find: FindKey) => Promise.allSettled(Array.from({ length: 5_000 }, (_, n) => find(hashOf(n + 1))));

it('looks up 5,000 keys of one instant in 10 SQL statements and returns each caller its own result', async () => {
  const statements: number[] = [];
  const findKeys: FindKeys = async (hashes) => {
    statements.push(hashes.length);
    await new Promise((resolve) => setTimeout(resolve, 10));
    return hashes.map((hash) => (Number(hash) % 7 === 0 ? 'unknown' : callerOf(hash)));
  };
  const results = await all(batchLookups(findKeys, context()));
  expect(
    results.map((result) => result.status === 'fulfilled' && typeof result.value !== 'string' && result.value.accountId),
  ).toEqual(Array.from({ length: 5_000 }, (_, n) => (n + 1) % 7 !== 0 && n + 1));
  expect(statements).toEqual(Array.from({ length: 10 }, () => 500));
});

it('rejects all keys of a failed SQL statement, and counts them', async () => {
  const tools = context();
  const results = await all(batchLookups(() => Promise.reject(new Error('too many connections')), tools));
  expect(results.every(({ status }) => status === 'rejected')).toBe(true);
  expect(await tools.metrics.metrics()).toMatch(/api_key_lookups_total\{outcome="failed".*\} 5000/);
});
