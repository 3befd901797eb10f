const FIRST = 20_000;
// Linux gives outgoing connections ports from 32,768 on.
const LAST = 32_000;

// From anywhere, because other tests run beside this one; then one after the other, because two of thirty by chance are soon the same.
let next = FIRST + Math.floor(Math.random() * (LAST - FIRST));

/** A port that nobody gets by chance while its server is away: one that was killed comes back to the same. */
export function lastingPort(): number {
  next = next < LAST ? next + 1 : FIRST;
  return next;
}
