// Lower bound, so that a reachable service is not reported as unavailable.
const MIN_MS = 100;

/**
 * Returns the time left for an upstream call. The deadline counts from the request's headers, so it
 * includes queuing.
 */
export function remainingDeadlineMs(receivedAt: number, deadlineMs: number): number {
  return Math.max(MIN_MS, Math.round(receivedAt + deadlineMs - performance.now()));
}
