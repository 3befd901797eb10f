import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openApiKeys } from './api-keys.ts';
import type { ApiCaller, FindKey, KeyState } from './find-api-keys.ts';

// PostgreSQL is replaced so that a test can delay a lookup; test/system uses the real one.
const CALLER: ApiCaller = { accountId: 7, keyId: 'k', scope: 'read', rateLimit: null };
const hash = randomBytes(32);

function database(answer: KeyState) {
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
    const keys = openApiKeys(findKey);
    const found = Array.from({ length: 50 }, () => keys.find(hash));
    answerNow();
    expect(await Promise.all(found)).toEqual(Array.from({ length: 50 }, () => CALLER));
    expect(await keys.find(hash)).toEqual(CALLER);
    expect(asked).toEqual([hash]);
  });

  it('caches briefly that a key does not exist', async () => {
    const { findKey, asked, answerNow } = database('unknown');
    answerNow();
    const keys = openApiKeys(findKey);
    expect(await keys.find(hash)).toBe('unknown');
    expect(await keys.find(hash)).toBe('unknown');
    expect(asked).toHaveLength(1);
  });

  it('rejects with busy when the database is unavailable, and queries it again for the next request', async () => {
    let away = true;
    const keys = openApiKeys(() => (away ? Promise.reject(new Error('ECONNREFUSED')) : Promise.resolve(CALLER)));
    await expect(keys.find(hash)).rejects.toMatchObject({ code: 'busy' });
    away = false;
    expect(await keys.find(hash)).toEqual(CALLER);
  });
});

describe('a cached key', () => {
  let now = 0;
  beforeEach(() => {
    now = performance.now();
    // Fake timers would replace the whole object, of which LRUCache keeps the original.
    vi.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** Lets time pass. LRUCache reads the clock again only after a millisecond. */
  const pass = async (ms: number) => {
    now += ms;
    await sleep(2);
  };

  /** The current state of the database, and how often it was queried. */
  const changing = () => {
    const state: { asked: number; answer: () => Promise<KeyState> } = {
      asked: 0,
      answer: () => Promise.resolve(CALLER),
    };
    const findKey: FindKey = () => {
      state.asked += 1;
      return state.answer();
    };
    return { state, keys: openApiKeys(findKey) };
  };

  it('ends within 10 s of a revocation that never arrives, in use or not', async () => {
    for (const usedEveryMs of [500, 10_000]) {
      const { state, keys } = changing();
      // Revoked right after the database has answered; the response takes 1.5 s.
      state.answer = async () => {
        await pass(1_500);
        return CALLER;
      };
      await keys.find(hash);
      state.answer = () => Promise.resolve('unknown');
      for (let ms = 1_500; ms < 10_000; ms += usedEveryMs) {
        await pass(Math.min(usedEveryMs, 10_000 - ms));
        if (ms + usedEveryMs < 10_000) await keys.find(hash);
      }
      expect(await keys.find(hash)).toBe('unknown');
    }
  });

  it('ends when it expires, although nothing is published about it [AUTH-EXPIRY-1]', async () => {
    const { state, keys } = changing();
    state.answer = () => Promise.resolve({ ...CALLER, endsInMs: 3_000 });
    expect(await keys.find(hash)).toMatchObject(CALLER);
    state.answer = () => Promise.resolve('expired');
    await pass(2_500);
    expect(await keys.find(hash)).toMatchObject(CALLER);
    await pass(501);
    expect(await keys.find(hash)).toBe('expired');
  });

  it('ends within 10 s of its last lookup while the database fails, and is then rejected with busy', async () => {
    const { state, keys } = changing();
    await keys.find(hash);
    state.answer = () => Promise.reject(new Error('too many connections'));
    await pass(10_000);
    await expect(keys.find(hash)).rejects.toMatchObject({ code: 'busy' });
  });

  it('is looked up again in the background while requests are served', async () => {
    const { state, keys } = changing();
    await keys.find(hash);
    state.answer = () => new Promise(() => {});
    await pass(5_000);
    expect(await Promise.all([keys.find(hash), keys.find(hash)])).toEqual([CALLER, CALLER]);
    expect(state.asked).toBe(2);
  });

  it('stays valid while the database fails for some seconds, and is looked up once a second', async () => {
    const { state, keys } = changing();
    await keys.find(hash);
    state.answer = () => Promise.reject(new Error('too many connections'));
    for (let ms = 0; ms < 8_500; ms += 100) {
      await pass(100);
      expect(await keys.find(hash)).toEqual(CALLER);
    }
    expect(state.asked).toBeLessThanOrEqual(6);
    state.answer = () => Promise.resolve(CALLER);
    await pass(400);
    expect(await keys.find(hash)).toEqual(CALLER);
    await pass(0);
    await pass(3_000);
    expect(await keys.find(hash)).toEqual(CALLER);
  });

  it('is rejected as soon as a background lookup finds that it no longer exists', async () => {
    const { state, keys } = changing();
    await keys.find(hash);
    state.answer = () => Promise.resolve('unknown');
    await pass(5_000);
    expect(await keys.find(hash)).toEqual(CALLER);
    await pass(0);
    expect(await keys.find(hash)).toBe('unknown');
  });
});

describe('revoke', () => {
  it('takes effect at once', async () => {
    const { findKey, answerNow } = database(CALLER);
    answerNow();
    const keys = openApiKeys(findKey);
    expect(await keys.find(hash)).toEqual(CALLER);
    keys.revoke(hash);
    expect(await keys.find(hash)).toBe('unknown');
  });

  it('overrides a lookup that began before it', async () => {
    const { findKey, answerNow } = database(CALLER);
    const keys = openApiKeys(findKey);
    const found = keys.find(hash);
    await sleep(5);
    keys.revoke(hash);
    answerNow();
    expect(await found).toBe('unknown');
    expect(await keys.find(hash)).toBe('unknown');
  });
});
