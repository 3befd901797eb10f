import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { openApiKeys } from './api-keys.ts';
import type { ApiCaller, KeyState } from './find-api-keys.ts';

const CALLER: ApiCaller = { accountId: 7, keyId: 'k', scope: 'read', rateLimit: null };
const RUNS = 200;

// A lookup reads PostgreSQL when it begins, and its result arrives at any later time.
it('accepts a key before its revocation and never after its message, whenever lookups end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.nat(4), fc.integer({ min: 1, max: 4 }), async (scheduler, before, after) => {
      const hash = randomBytes(32);
      let stored: KeyState = CALLER;
      const keys = openApiKeys(scheduler.scheduleFunction(() => Promise.resolve(stored)));
      const found: Promise<void>[] = [];
      let isRevoked = false;
      const find = (): Promise<void> => {
        const isLate = isRevoked;
        // A request that began before the message may find either once the key is revoked.
        const right = (): KeyState[] => (isLate ? ['unknown'] : [CALLER, stored]);
        found.push(keys.find(hash).then((state) => expect(right()).toContain(state)));
        return Promise.resolve();
      };
      const revoke = (): Promise<void> => {
        stored = 'unknown';
        return Promise.resolve();
      };
      const receive = (): Promise<void> => {
        keys.revoke(hash);
        isRevoked = true;
        return Promise.resolve();
      };
      scheduler.scheduleSequence([...Array.from({ length: before }, () => find), revoke, receive]);
      scheduler.scheduleSequence(Array.from({ length: after }, () => find));
      await scheduler.waitIdle();
      await find();
      await scheduler.waitIdle();
      await Promise.all(found);
    }),
    { numRuns: RUNS },
  );
});
