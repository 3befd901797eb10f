import type { RequestHandler } from 'express';

/**
 * Serves nobody who left while the key was looked up. What follows counts requests until their responses close, and these have closed: each would
 * take a place for ever.
 */
export const skipDisconnected: RequestHandler = (_request, response, next) => {
  if (!response.destroyed) next();
};
