// So that a service which is there is not taken for one that is away.
const LEAST_MS = 100;

/** What a service may take for a request: its deadline counts from when its headers had come, whatever it has waited for since. */
export function timeLeftMs(receivedAt: number, deadlineMs: number): number {
  return Math.max(LEAST_MS, Math.round(receivedAt + deadlineMs - performance.now()));
}
