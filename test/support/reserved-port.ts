const FIRST = 20_000;
// Linux gives outgoing connections ports from 32,768 on.
const LAST = 32_000;

// Starts at a random port, because other tests run concurrently, and then counts up to avoid
// duplicates.
let next = FIRST + Math.floor(Math.random() * (LAST - FIRST));

/**
 * Returns a port that stays free while its server is stopped, so that the server can restart on it.
 */
export function lastingPort(): number {
  next = next < LAST ? next + 1 : FIRST;
  return next;
}
