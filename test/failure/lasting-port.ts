const FIRST = 20_000;
// Linux gives outgoing connections ports from 32,768 on.
const LAST = 32_000;

/** A port by chance that nobody gets by chance while its server is away: one that was killed comes back to the same. */
export function lastingPort(): number {
  return FIRST + Math.floor(Math.random() * (LAST - FIRST));
}
