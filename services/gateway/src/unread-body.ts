import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';

const DISCARD_MS = 5_000;

export function awaitsContinue({ headers }: IncomingMessage): boolean {
  return headers.expect !== undefined;
}

/**
 * What is left of a body when its answer is out, such as a 401, is thrown away for a few seconds, and then the connection is closed. Closing
 * it at once would reset it, and clients that are still sending would never see the answer.
 */
export const discardUnreadBody: RequestHandler = (request, response, next) => {
  // Such a client sends its body only when it is asked to: if it is not, the next bytes would be taken for the body.
  if (awaitsContinue(request)) response.setHeader('Connection', 'close');
  response.once('finish', () => {
    if (request.complete) return;
    request.resume();
    setTimeout(() => {
      if (!request.complete) request.socket.destroy();
    }, DISCARD_MS).unref();
  });
  next();
};
