// So that a service which is there is not taken for one that is away.
const MIN_MS = 100;

/** What a service may take for a request: its deadline counts from when its headers had come, whatever it has waited for since. */
export function remainingDeadlineMs(receivedAt: number, deadlineMs: number): number {
  return Math.max(MIN_MS, Math.round(receivedAt + deadlineMs - performance.now()));
}
