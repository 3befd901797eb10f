import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import type { Problem } from './problem.ts';
import { MALFORMED_BODY } from './connection-errors.ts';
import { enforceUploadRate } from './upload-rate.ts';
import { awaitsContinue } from './unread-body.ts';

export interface Body extends Disposable {
  // As they arrive. Throws when the client breaks off, so that half a body never passes for a whole one.
  chunks(): AsyncIterable<Buffer>;
}

/**
 * The request's body. It is read through a stream of its own, because node closes the connection when a request is not read to its end;
 * disposed of early, the connection lives and can carry the answer.
 */
export function openBody(request: IncomingMessage, response: ServerResponse): Body {
  const through = new PassThrough();
  let stopWatching = (): void => {};
  // Whoever reads the chunks gets the error; without a reader there is nobody to tell.
  through.on('error', () => {});
  return {
    chunks: () => {
      if (awaitsContinue(request)) {
        response.removeHeader('Connection');
        response.writeContinue();
      }
      request.once('close', () => {
        if (!request.readableEnded) through.destroy(new Error('the client broke off'));
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
