import { setTimeout as sleep } from 'node:timers/promises';
import { SurveyApiError, SurveyConnectionError } from './errors.ts';

export interface Retries {
  // Maximum number of attempts after the first.
  readonly most: number;
  // Maximum first wait; it doubles with each attempt.
  readonly firstWaitMs: number;
  // Maximum wait. When the service requests a longer one, its error is thrown instead.
  readonly longestWaitMs: number;
}

// Proxies return 502 and 504 in place of 503.
const TEMPORARY = new Set([429, 500, 502, 503, 504]);

/**
 * Retries temporary failures with exponential backoff and full jitter, so that clients that failed
 * together do not return together.
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
  // Plus jitter, because all clients received the same time.
  return retryAfterMs > longestWaitMs ? undefined : retryAfterMs + backoffMs;
}
