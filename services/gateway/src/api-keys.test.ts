import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openApiKeys, type FindKey } from './api-keys.ts';
import type { ApiCaller } from './sql/find-api-keys.ts';
import type { CachedKey, SharedKeyCache } from './shared-key-cache.ts';

// Redis and PostgreSQL are replaced so that a test can delay a lookup; test/system uses the real
// ones.
const CALLER: ApiCaller = { accountId: 7, keyId: 'k', scope: 'read', rateLimit: null };
const hash = randomBytes(32);

function openWith(findKey: FindKey, redis = new Map<string, CachedKey>()) {
  const shared: SharedKeyCache = {
    get: (name) => Promise.resolve(redis.get(name)),
    add: async (name, key) => void (redis.has(name) || redis.set(name, key)),
    markRevoked: async (name) => void redis.set(name, { caller: undefined, freshForMs: 60_000 }),
  };
  return openApiKeys(findKey, shared);
}

function database(answer: ApiCaller | undefined) {
  const gate = Promise.withResolvers<void>();
  const asked: Buffer[] = [];
  const findKey: FindKey = async (bytes) => {
    asked.push(bytes);
    await gate.promise;
    return answer;
  };
  return { findKey, asked, answerNow: () => gate.resolve() };
}

describe('find', () => {
  it('queries the database once for concurrent requests, and then caches the result', async () => {
    const { findKey, asked, answerNow } = database(CALLER);
    const keys = openWith(findKey);
    const found = Array.from({ length: 50 }, () => keys.find(hash));
    answerNow();
    expect(await Promise.all(found)).toEqual(Array.from({ length: 50 }, () => CALLER));
    expect(await keys.find(hash)).toEqual(CALLER);
    expect(asked).toEqual([hash]);
  });

  it('caches briefly that a key does not exist', async () => {
    const { findKey, asked, answerNow } = database(undefined);
    answerNow();
    const keys = openWith(findKey);
    expect(await keys.find(hash)).toBeUndefined();
    expect(await keys.find(hash)).toBeUndefined();
    expect(asked).toHaveLength(1);
  });

  it('uses an entry of another gateway only until that entry expires', async () => {
    const { findKey, asked, answerNow } = database(undefined);
    answerNow();
    const redis = new Map([[hash.toString('base64url'), { caller: CALLER, freshForMs: 50 }]]);
    const keys = openWith(findKey, redis);
    expect(await keys.find(hash)).toEqual(CALLER);
    redis.clear();
    await sleep(80);
    expect(await keys.find(hash)).toBeUndefined();
    expect(asked).toHaveLength(1);
  });

  it('rejects with busy when the database is unavailable, and queries it again for the next request', async () => {
    let away = true;
    const keys = openWith(() => (away ? Promise.reject(new Error('ECONNREFUSED')) : Promise.resolve(CALLER)));
    await expect(keys.find(hash)).rejects.toMatchObject({ code: 'busy' });
    away = false;
    expect(await keys.find(hash)).toEqual(CALLER);
  });
});

it('rejects a key whose entry has expired when no store can be reached [S4]', async () => {
  const redis = new Map([[hash.toString('base64url'), { caller: CALLER, freshForMs: 50 }]]);
  const keys = openWith(() => Promise.reject(new Error('too many connections')), redis);
  expect(await keys.find(hash)).toEqual(CALLER);
  redis.clear();
  await sleep(80);
  await expect(keys.find(hash)).rejects.toMatchObject({ code: 'busy' });
});

describe('a key in use', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** The current state of the database, and how often it was queried. */
  const changing = () => {
    const state: { asked: number; answer: () => Promise<ApiCaller | undefined> } = {
      asked: 0,
      answer: () => Promise.resolve(CALLER),
    };
    const findKey: FindKey = () => {
      state.asked += 1;
      return state.answer();
    };
    return { state, keys: openWith(findKey) };
  };

  it('is looked up again in the background while requests are served', async () => {
    const { state, keys } = changing();
    await keys.find(hash);
    state.answer = () => new Promise(() => {});
    vi.advanceTimersByTime(5_000);
    expect(await Promise.all([keys.find(hash), keys.find(hash)])).toEqual([CALLER, CALLER]);
    expect(state.asked).toBe(2);
  });

  it('stays valid while the database fails for some seconds, and is looked up once a second', async () => {
    const { state, keys } = changing();
    await keys.find(hash);
    state.answer = () => Promise.reject(new Error('too many connections'));
    for (let ms = 0; ms < 8_500; ms += 100) {
      vi.advanceTimersByTime(100);
      expect(await keys.find(hash)).toEqual(CALLER);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(state.asked).toBeLessThanOrEqual(6);
    state.answer = () => Promise.resolve(CALLER);
    vi.advanceTimersByTime(400);
    expect(await keys.find(hash)).toEqual(CALLER);
    await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(3_000);
    expect(await keys.find(hash)).toEqual(CALLER);
  });

  it('is rejected as soon as a background lookup finds that it no longer exists', async () => {
    const { state, keys } = changing();
    await keys.find(hash);
    state.answer = () => Promise.resolve(undefined);
    vi.advanceTimersByTime(5_000);
    expect(await keys.find(hash)).toEqual(CALLER);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await keys.find(hash)).toBeUndefined();
  });
});

describe('revoke', () => {
  it('takes effect at once, in this gateway and in the others', async () => {
    const { findKey, answerNow } = database(CALLER);
    answerNow();
    const redis = new Map<string, CachedKey>();
    const [here, there] = [openWith(findKey, redis), openWith(findKey, redis)];
    expect(await here.find(hash)).toEqual(CALLER);
    here.revoke(hash);
    expect(await here.find(hash)).toBeUndefined();
    expect(await there.find(hash)).toBeUndefined();
  });

  it('overrides a lookup that began before it, in memory and in Redis', async () => {
    const { findKey, answerNow } = database(CALLER);
    const redis = new Map<string, CachedKey>();
    const keys = openWith(findKey, redis);
    const found = keys.find(hash);
    await sleep(5);
    keys.revoke(hash);
    answerNow();
    expect(await found).toBeUndefined();
    expect(await keys.find(hash)).toBeUndefined();
    expect([...redis.values()]).toEqual([{ caller: undefined, freshForMs: 60_000 }]);
  });
});
