import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { PageError } from './page-error.ts';

const MINUTE = 60;

// Session ids are hashed into keys: a reader of Redis must not find any.
const hash = (key: string): string => createHash('sha256').update(key).digest('base64url');

/**
 * Limits of sign-ins per network; of pages, changes and wrong confirmations per session; of what
 * comes without a session in the name of a provider, per network and provider.
 */
export interface Limits {
  signIn(network: string): Promise<void>;
  unverified(networkAndIssuer: string): Promise<void>;
  /** Takes back what `unverified` has counted, and counts for the provider instead. */
  verified(networkAndIssuer: string, issuer: string): Promise<void>;
  /** Counts links of mails that were opened or used. */
  mailedLink(network: string): Promise<void>;
  page(sessionId: string): Promise<void>;
  change(sessionId: string): Promise<void>;
  wrongConfirmation(sessionId: string): Promise<void>;
}

/** Each method throws PageError 429. Without Redis, each process counts on its own. */
export function createLimits(redis: Redis, signInsPerMinute: number): Limits {
  const limit = (name: string, points: number, duration = MINUTE) => {
    const options = { points, duration, keyPrefix: `console:limit:${name}` };
    const insuranceLimiter = new RateLimiterMemory(options);
    const limiter = new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter, rejectIfRedisNotReady: true });
    const count = async (key: string): Promise<void> => {
      try {
        await limiter.consume(hash(key));
      } catch (error) {
        if (error instanceof RateLimiterRes) throw new PageError(429, 'tooMany', Math.ceil(error.msBeforeNext / 1_000));
        throw error;
      }
    };
    return { count, takeBack: (key: string) => limiter.reward(hash(key)) };
  };
  const unverified = limit('unverified', 300);
  const logout = limit('logout', 3_000);
  return {
    signIn: limit('sign-in', signInsPerMinute).count,
    unverified: unverified.count,
    verified: async (networkAndIssuer, issuer) => {
      await unverified.takeBack(networkAndIssuer);
      await logout.count(issuer);
    },
    mailedLink: limit('mailed-link', 60).count,
    page: limit('page', 300).count,
    change: limit('change', 30).count,
    wrongConfirmation: limit('confirmation', 4, 10 * MINUTE).count,
  };
}
