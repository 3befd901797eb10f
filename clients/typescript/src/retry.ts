import { ConflictError, SurveyApiError, SurveyConnectionError, UnexpectedResponseError } from './errors.ts';

export interface Retries {
  /** Maximum number of attempts after the first: 5 by default. */
  readonly most: number;
  /** Maximum first wait, which doubles with each attempt: 500 by default. */
  readonly firstWaitMs: number;
  /** Maximum wait, 60,000 by default. If the service requests a longer one, its error is thrown. */
  readonly longestWaitMs: number;
}

export interface Retry {
  /** Error of the attempt that failed. */
  readonly error: SurveyApiError | SurveyConnectionError;
  /** Number of failed attempts so far. */
  readonly failures: number;
  /** Wait before the next attempt. */
  readonly waitMs: number;
}

interface RetryOptions {
  readonly retries: Retries;
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  // Waits after 409 as long as it takes.
  readonly waitForRunning?: boolean | undefined;
}

// Proxies return 502 and 504 in place of 503.
const TEMPORARY = new Set([408, 429, 500, 502, 503, 504]);

/**
 * Retries temporary failures with exponential backoff and full jitter, so that clients that failed
 * together do not return together.
 */
export async function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { retries, onRetry, signal, waitForRunning = false } = options;
  let failures = 0;
  for (let conflicts = 0; ;) {
    try {
      return await attempt();
    } catch (error) {
      const isRunning = waitForRunning && error instanceof ConflictError;
      if (!isRunning && !isTemporary(error)) throw error;
      if (isRunning) conflicts += 1;
      else if (++failures > retries.most) throw error;
      const waitMs = isRunning ? waitForImport(error, conflicts, retries) : waitAfter(error, failures, retries);
      if (waitMs === undefined) throw error;
      onRetry?.({ error, failures: failures + conflicts, waitMs });
      await sleep(waitMs, signal);
    }
  }
}

function isTemporary(error: unknown): error is SurveyApiError | SurveyConnectionError {
  if (error instanceof SurveyApiError) return TEMPORARY.has(error.status);
  return error instanceof SurveyConnectionError && !(error instanceof UnexpectedResponseError);
}

// Retry-After is an estimate here, so the import may have ended earlier.
function waitForImport({ retryAfterMs }: ConflictError, conflicts: number, { firstWaitMs, longestWaitMs }: Retries): number {
  return Math.min(longestWaitMs, retryAfterMs ?? firstWaitMs * 2 ** conflicts);
}

function waitAfter(
  error: SurveyApiError | SurveyConnectionError,
  failures: number,
  { firstWaitMs, longestWaitMs }: Retries,
): number | undefined {
  const backoffMs = Math.random() * Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - 1));
  const { retryAfterMs = 0 } = error instanceof SurveyApiError ? error : {};
  // Plus jitter, because all clients received the same time.
  return retryAfterMs > longestWaitMs ? undefined : Math.ceil(retryAfterMs + backoffMs);
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
