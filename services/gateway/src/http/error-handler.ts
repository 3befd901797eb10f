import type { ServerResponse } from 'node:http';
import { causeOf } from '@survey/process/cause-of.ts';
import type { Log } from '@survey/process/log.ts';
import { ApplicationError, type ApplicationErrorCode } from '@survey/rpc/application-error.ts';
import { UpstreamError } from '@survey/rpc/upstream-error.ts';
import type { ErrorRequestHandler } from 'express';
import { CHALLENGE } from '../keys/authenticate.ts';
import { RATE_LIMIT_HEADERS } from '../overload/limit-rate.ts';
import { isProblemStatus, Problem, PROBLEM_TYPE, problemBody, type ProblemStatus } from './problem.ts';
import { getRequestContext } from './request-context.ts';

const STATUS = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  mismatch: 422,
  too_large: 413,
  unsupported: 415,
  busy: 503,
} as const satisfies Record<ApplicationErrorCode, ProblemStatus>;

const RETRY_LATER = { headers: { 'Retry-After': '2' } };
// The service was unreachable or too slow; unlike after an internal error, a retry may succeed.
const UNAVAILABLE_STATUSES = new Set(['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'CANCELLED']);

/**
 * Turns every error into one problem document. Details that the client must not see go to the log
 * only.
 */
export function problemErrorHandler(log: Log): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    // The client has disconnected, so the error may only be a consequence.
    if (response.destroyed) return;
    const { requestId } = getRequestContext(request);
    const problem = problemOf(error);
    if (problem.status === 500) log.error({ err: error, request_id: requestId }, 'request failed');
    // Shed requests appear in the request log; a second line for each would add to the overload.
    if (problem.status === 503 && problem !== error)
      log.warn({ reason: causeOf(error), request_id: requestId }, 'request not served');
    // The status is sent already; closing the connection marks the response as incomplete.
    if (response.headersSent) response.destroy();
    else sendProblem(response, problem, requestId);
  };
}

function sendProblem(response: ServerResponse, problem: Problem, requestId: string): void {
  const body = Buffer.from(problemBody(problem, requestId));
  response.removeHeader('Content-Encoding');
  // The remaining requests would distinguish errors that must look the same (rule
  // ATTRIBUTES-RELEASE-2).
  if (problem.status !== 429) for (const name of RATE_LIMIT_HEADERS) response.removeHeader(name);
  response.writeHead(problem.status, { ...problem.headers, 'Content-Type': PROBLEM_TYPE, 'Content-Length': body.length });
  response.end(body);
}

/** Returns the problem for any thrown value: the only mapping of errors to HTTP statuses. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof ApplicationError) return fromRejection(error);
  if (error instanceof UpstreamError && UNAVAILABLE_STATUSES.has(error.status)) {
    return new Problem(503, 'The service did not respond in time. Retry with exponential backoff.', RETRY_LATER);
  }
  return (
    fromFramework(error) ??
    new Problem(500, 'An internal error occurred. Retry with exponential backoff; if it persists, report the instance.')
  );
}

function fromRejection({ code, message, fieldErrors, fieldErrorsTotal, retryAfterSeconds }: ApplicationError): Problem {
  return new Problem(STATUS[code], message, {
    errors: fieldErrors.map((fault) => (/^\/|^$/.test(fault.pointer) ? fault : { header: fault.pointer, detail: fault.detail })),
    errorsTotal: fieldErrorsTotal,
    ...(code === 'busy' && RETRY_LATER),
    ...(retryAfterSeconds !== undefined && { headers: { 'Retry-After': String(retryAfterSeconds) } }),
    ...(code === 'unauthorized' && { headers: CHALLENGE }),
  });
}

// Express marks client errors with a status, such as 400 for a path with a stray %.
function fromFramework(error: unknown): Problem | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return undefined;
  const { status } = error;
  if (status < 400 || status > 499) return undefined;
  return new Problem(isProblemStatus(status) ? status : 400, 'The path or a header of the request is malformed. Correct it.');
}
