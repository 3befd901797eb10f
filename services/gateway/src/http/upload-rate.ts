import type { IncomingMessage } from 'node:http';
import { Problem } from './problem.ts';

const CHECK_MS = 1_000;
const UPLOAD_GRACE_MS = 10_000;
const SLOWEST_BYTES_PER_SECOND = 1_024;

/**
 * Reports a body that arrives too slowly: nothing for ten seconds, or less than 1 KiB/s after the
 * first ten. Time in which the gateway does not read is not counted. Returns a function that stops
 * the watch.
 */
export function enforceUploadRate(request: IncomingMessage, onTooSlow: (problem: Problem) => void): () => void {
  let receivedBytes = 0;
  let waitedMs = 0;
  let idleMs = 0;
  const count = (chunk: Buffer): void => {
    receivedBytes += chunk.length;
    idleMs = 0;
  };
  const look = (): void => {
    if (request.readableLength > 0 || request.isPaused()) return;
    waitedMs += CHECK_MS;
    idleMs += CHECK_MS;
    const expectedBytes = ((waitedMs - UPLOAD_GRACE_MS) / 1_000) * SLOWEST_BYTES_PER_SECOND;
    if (idleMs < UPLOAD_GRACE_MS && receivedBytes >= expectedBytes) return;
    stop();
    onTooSlow(tooSlow());
  };
  const timer = setInterval(look, CHECK_MS);
  const stop = (): void => {
    clearInterval(timer);
    request.off('data', count);
  };
  request.on('data', count);
  return stop;
}

const tooSlow = (): Problem =>
  new Problem(408, 'The body arrived at less than 1 KiB per second. Compress it and retry.', {
    headers: { Connection: 'close' },
  });
