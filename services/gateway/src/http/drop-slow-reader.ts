import type { ServerResponse } from 'node:http';

const GRACE_MS = 10_000;
const SLOWEST_BYTES_PER_SECOND = 64 * 1_024;

/**
 * Closes the connection when its client does not read the response within ten seconds, or longer if
 * it is large.
 */
export function dropSlowReader(response: ServerResponse): void {
  // The whole response is written and only waits for the client to read it.
  response.once('prefinish', () => {
    const unread = response.socket?.writableLength ?? 0;
    const timer = setTimeout(() => response.destroy(), GRACE_MS + (unread / SLOWEST_BYTES_PER_SECOND) * 1_000).unref();
    response.once('close', () => clearTimeout(timer));
  });
}
