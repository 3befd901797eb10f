import type { ServerResponse } from 'node:http';

const GRACE_MS = 10_000;
const SLOWEST_BYTES_PER_SECOND = 64 * 1_024;

/** Closes the connection of a client that does not read its answer: ten seconds, and more for a large one, are enough on any line. */
export function dropSlowReader(response: ServerResponse): void {
  // All of it is written by us, and waits to be read.
  response.once('prefinish', () => {
    const unread = response.socket?.writableLength ?? 0;
    const timer = setTimeout(() => response.destroy(), GRACE_MS + (unread / SLOWEST_BYTES_PER_SECOND) * 1_000).unref();
    response.once('close', () => clearTimeout(timer));
  });
}
