import { DatabaseUnavailableError, sqlState } from '@survey/postgres/database-error.ts';

const RETRY_MS = 5_000;
const MAX_RETRY_MS = 10 * 60_000;

/** A message cannot be processed now, for a reason outside the message. */
export class RetryLaterError extends Error {
  override readonly name: string = 'RetryLaterError';
  readonly delayMs: number;

  constructor(message: string, { delayMs = RETRY_MS, cause }: { delayMs?: number; cause?: unknown } = {}) {
    super(message, { cause });
    this.delayMs = delayMs;
  }
}

// Connection, transaction state, rollback, resources, lock, operator intervention, system error.
const TRANSIENT = /^(08|25|40|53|55|57|58)/;

/** Returns whether the error is unrelated to the message: the same message may succeed later. */
export function isTransient(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError || error instanceof RetryLaterError) return true;
  return TRANSIENT.test(sqlState(error) ?? '');
}

/**
 * Returns the redelivery delay: constant while a dependency fails, else exponential. `deliveries`
 * counts from 1.
 */
export function redeliveryDelayMs(error: unknown, deliveries: number): number {
  if (error instanceof RetryLaterError) return error.delayMs;
  if (isTransient(error)) return RETRY_MS;
  return Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** (deliveries - 1));
}
