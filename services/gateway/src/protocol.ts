import type { RequestHandler } from 'express';
import { Problem } from './problem.ts';

/** What node:http would refuse by itself, but without a body that says why (ruling A19). */
export const checkProtocol: RequestHandler = (request, _response, next) => {
  if (request.headers.host === undefined && request.httpVersion === '1.1') {
    throw new Problem(400, 'An HTTP/1.1 request needs a Host header.');
  }
  const { expect } = request.headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    throw new Problem(417, 'The only expectation that this service can meet is 100-continue. Leave the Expect header out.');
  }
  next();
};
