import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import type { Problem } from './problem.ts';
import { MALFORMED_BODY } from './connection-errors.ts';
import { enforceUploadRate } from './upload-rate.ts';
import { awaitsContinue } from './unread-body.ts';

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
      if (awaitsContinue(request)) {
        response.removeHeader('Connection');
        response.writeContinue();
      }
      request.once('close', () => {
        if (!request.readableEnded) through.destroy(new Error('the client disconnected'));
      });
      request.once(MALFORMED_BODY, (problem: Problem) => through.destroy(problem));
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
