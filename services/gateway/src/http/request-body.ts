import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import type { RequestHandler } from 'express';
import { onMalformedBody } from './connection-errors.ts';
import { Problem } from './problem.ts';

interface Body extends Disposable {
  /**
   * Yields the body as it arrives.
   * @throws when the client disconnects, so that a partial body is never taken for a whole one.
   */
  chunks(): AsyncIterable<Buffer>;
}

/**
 * Opens the request's body as a separate stream. Node closes the connection of a request that is
 * not read to its end; disposing of this stream early keeps it open for the response.
 */
export function openBody(request: IncomingMessage, response: ServerResponse): Body {
  const through = new PassThrough();
  let stopWatching = (): void => {};
  // Readers of the chunks receive the error; without one, the error is dropped.
  through.on('error', () => {});
  return {
    chunks: () => {
      if (request.headers.expect !== undefined) {
        response.removeHeader('Connection');
        response.writeContinue();
      }
      request.once('close', () => {
        if (!request.readableEnded) through.destroy(new Error('the client disconnected'));
      });
      onMalformedBody(request, (problem) => through.destroy(problem));
      if (through.destroyed) return through;
      const body = request.pipe(through);
      stopWatching = enforceUploadRate(request, (problem) => through.destroy(problem));
      request.once('close', stopWatching);
      return body;
    },
    [Symbol.dispose]: () => {
      stopWatching();
      request.unpipe(through);
      through.destroy();
    },
  };
}

const CHECK_MS = 1_000;
const UPLOAD_GRACE_MS = 10_000;
const SLOWEST_BYTES_PER_SECOND = 1_024;

/**
 * Reports a body that arrives too slowly: nothing for ten seconds, or less than 1 KiB/s after the
 * first ten. Time in which the gateway does not read is not counted. Returns a function that stops
 * the watch.
 */
function enforceUploadRate(request: IncomingMessage, onTooSlow: (problem: Problem) => void): () => void {
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

const DISCARD_MS = 5_000;

/**
 * Discards the rest of a body for a few seconds after an early response, such as a 401, then closes
 * the connection. Closing it at once would reset it before a sending client has read the response.
 */
export const discardUnreadBody: RequestHandler = (request, response, next) => {
  // A client that was not asked to continue sends no body; its next bytes would be taken for the
  // body.
  if (request.headers.expect !== undefined) response.setHeader('Connection', 'close');
  response.once('finish', () => {
    if (request.complete) return;
    request.resume();
    setTimeout(() => {
      if (!request.complete) request.socket.destroy();
    }, DISCARD_MS).unref();
  });
  next();
};
