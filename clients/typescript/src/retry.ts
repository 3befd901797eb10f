import { SurveyApiError, SurveyConnectionError } from './errors.ts';

export interface Retries {
  // Maximum number of attempts after the first.
  readonly most: number;
  // Maximum first wait; it doubles with each attempt.
  readonly firstWaitMs: number;
  // Maximum wait. When the service requests a longer one, its error is thrown instead.
  readonly longestWaitMs: number;
}

export interface Retry {
  // Error of the attempt that failed.
  readonly error: SurveyApiError | SurveyConnectionError;
  // Number of failed attempts so far.
  readonly failures: number;
  // Wait before the next attempt.
  readonly waitMs: number;
}

interface RetryOptions {
  readonly retries: Retries;
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

// Proxies return 502 and 504 in place of 503.
const TEMPORARY = new Set([429, 500, 502, 503, 504]);

/**
 * Retries temporary failures with exponential backoff and full jitter, so that clients that failed
 * together do not return together.
 */
export async function withRetries<T>(attempt: () => Promise<T>, { retries, onRetry, signal }: RetryOptions): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      if (failures > retries.most || !isTemporary(error)) throw error;
      const waitMs = waitAfter(error, failures, retries);
      if (waitMs === undefined) throw error;
      onRetry?.({ error, failures, waitMs });
      await sleep(waitMs, signal);
    }
  }
}

function isTemporary(error: unknown): error is SurveyApiError | SurveyConnectionError {
  return error instanceof SurveyConnectionError || (error instanceof SurveyApiError && TEMPORARY.has(error.status));
}

function waitAfter(
  error: SurveyApiError | SurveyConnectionError,
  failures: number,
  { firstWaitMs, longestWaitMs }: Retries,
): number | undefined {
  const backoffMs = Math.random() * Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - 1));
  const { retryAfterMs = 0 } = error instanceof SurveyApiError ? error : {};
  // Plus jitter, because all clients received the same time.
  return retryAfterMs > longestWaitMs ? undefined : retryAfterMs + backoffMs;
}

// The timers of node:timers/promises do not exist in browsers.
function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      if (signal?.aborted) reject(signal.reason as Error);
      else resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}
