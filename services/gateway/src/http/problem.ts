import { ApplicationError } from '@survey/rpc/application-error.ts';

// RFC 9457. All error statuses of this API; each has one type and title.
export const PROBLEM_TYPES = {
  400: ['invalid-request', 'The request is not valid'],
  401: ['unauthorized', 'A valid API key is needed'],
  403: ['missing-scope', 'The API key does not allow this'],
  404: ['not-found', 'Not found'],
  405: ['method-not-allowed', 'The method is not allowed here'],
  408: ['request-timeout', 'The request took too long to arrive'],
  409: ['conflict', 'An import is already running'],
  412: ['precondition-failed', 'If-Match names another state of the list'],
  413: ['body-too-large', 'The body is too large'],
  415: ['unsupported-body', 'The form of the body is not supported'],
  417: ['expectation-failed', 'The expectation cannot be met'],
  422: ['idempotency-mismatch', 'The Idempotency-Key belongs to another body'],
  429: ['too-many-requests', 'Too many requests'],
  431: ['headers-too-large', 'The headers are too large'],
  500: ['internal-error', 'Unexpected error'],
  503: ['unavailable', 'Temporarily unavailable'],
} as const;

export type ProblemStatus = keyof typeof PROBLEM_TYPES;

/** One fault and its location: a JSON pointer into the body, a query parameter or a header. */
export type FieldError = { readonly detail: string } & (InBody | { readonly parameter: string } | { readonly header: string });
type InBody = { readonly pointer: string; readonly import_id?: string };

interface ProblemExtras {
  readonly errors?: readonly FieldError[];
  // Total number of faults when only some are listed.
  readonly errorsTotal?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error response. `detail` is written for the client and says what to do. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: ProblemStatus;
  readonly errors: readonly FieldError[];
  readonly errorsTotal: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: ProblemStatus,
    detail: string,
    { errors = [], errorsTotal = errors.length, headers = {} }: ProblemExtras = {},
  ) {
    super(asSentence(detail));
    this.status = status;
    this.errors = errors;
    this.errorsTotal = errorsTotal;
    this.headers = headers;
  }
}

// Services write details in lower case and without a full stop.
function asSentence(detail: string): string {
  const capitalised = `${detail.charAt(0).toUpperCase()}${detail.slice(1)}`;
  return /[.!?]$/.test(capitalised) ? capitalised : `${capitalised}.`;
}

export const PROBLEM_TYPE = 'application/problem+json';

export function isProblemStatus(status: number): status is ProblemStatus {
  return Object.hasOwn(PROBLEM_TYPES, status);
}

/** Returns the response body. `instance` is the request id, which clients quote to support. */
export function problemBody(problem: Problem, requestId: string): string {
  const [type, title] = PROBLEM_TYPES[problem.status];
  return JSON.stringify({
    type: `urn:survey:problem:${type}`,
    title,
    status: problem.status,
    detail: problem.message,
    instance: requestId,
    ...(problem.errors.length > 0 && { errors: problem.errors, errors_total: problem.errorsTotal }),
  });
}

/**
 * Converts an `invalid` error of a service into a 400 that names the query parameters; returns
 * other errors unchanged.
 */
export function toParameterProblem(error: unknown): unknown {
  if (!(error instanceof ApplicationError) || error.code !== 'invalid') return error;
  const errors = error.fieldErrors.map(({ pointer, detail }) => ({ parameter: pointer.slice(1), detail }));
  return new Problem(400, `Query parameter ${error.message}.`, { errors });
}
