import type { RequestHandler } from 'express';
import { Problem } from './problem.ts';

/** Rejects what node:http would reject without a problem document (rule ERRORS-SHAPE-1). */
export const checkProtocol: RequestHandler = (request, _response, next) => {
  const hosts = countHosts(request.rawHeaders);
  if (hosts === 0 && request.httpVersion === '1.1') throw new Problem(400, 'The request has no Host header. Send one.');
  if (hosts > 1) throw new Problem(400, 'The request has several Host headers. Send one.');
  const coding = request.headers['transfer-encoding'];
  // node:http decodes chunked and passes on other codings as they are.
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked')
    throw new Problem(400, 'The Transfer-Encoding is not supported. Compress the body with Content-Encoding: gzip instead.');
  const { expect } = request.headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    throw new Problem(417, 'No expectation other than 100-continue is supported. Omit the Expect header.');
  }
  next();
};

// node:http exposes only the first of repeated headers.
const countHosts = (rawHeaders: readonly string[]): number =>
  rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host').length;
