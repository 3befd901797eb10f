import { setTimeout as sleep } from 'node:timers/promises';
import { SurveyApiError, SurveyConnectionError } from './errors.ts';

export interface Retries {
  // Attempts after the first one.
  readonly most: number;
  // The first wait is up to this long; each further one up to twice as long as the one before.
  readonly firstWaitMs: number;
  // No wait is longer. When the service asks for a longer one, its answer is thrown instead.
  readonly longestWaitMs: number;
}

// 502 and 504 are what balancers say in place of 503.
const TEMPORARY = new Set([429, 500, 502, 503, 504]);

/**
 * Repeats what failed for a while, with exponential backoff and full jitter, so that clients that
 * failed together do not return together.
 */
export async function withRetries<T>(attempt: () => Promise<T>, retries: Retries, signal?: AbortSignal): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      const waitMs = failures > retries.most ? undefined : waitAfter(error, failures, retries);
      if (waitMs === undefined) throw error;
      await sleep(waitMs, undefined, { ...(signal && { signal }) });
    }
  }
}

function waitAfter(error: unknown, failures: number, { firstWaitMs, longestWaitMs }: Retries): number | undefined {
  const backoffMs = Math.random() * Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - 1));
  if (error instanceof SurveyConnectionError) return backoffMs;
  if (!(error instanceof SurveyApiError) || !TEMPORARY.has(error.status)) return undefined;
  const { retryAfterMs = 0 } = error;
  // The jitter comes on top: all clients were told the same time.
  return retryAfterMs > longestWaitMs ? undefined : retryAfterMs + backoffMs;
}
