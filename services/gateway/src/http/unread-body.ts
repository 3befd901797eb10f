import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';

const DISCARD_MS = 5_000;

export function awaitsContinue({ headers }: IncomingMessage): boolean {
  return headers.expect !== undefined;
}

/**
 * Discards the rest of a body for a few seconds after an early response, such as a 401, then closes
 * the connection. Closing it at once would reset it before a sending client has read the response.
 */
export const discardUnreadBody: RequestHandler = (request, response, next) => {
  // A client that was not asked to continue sends no body; its next bytes would be taken for the
  // body.
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
