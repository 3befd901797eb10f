import type { RequestHandler } from 'express';

/**
 * Stops requests whose client disconnected during the key lookup. Later middleware frees a slot
 * when the response closes, and this response has closed already: its slot would never be freed.
 */
export const skipDisconnected: RequestHandler = (_request, response, next) => {
  if (!response.destroyed) next();
};
