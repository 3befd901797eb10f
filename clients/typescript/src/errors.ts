import type { Problem } from './resources.ts';

/** The end of a problem's `type`; more may come. */
export type ProblemCode =
  | 'invalid-request'
  | 'unauthorized'
  | 'missing-scope'
  | 'not-found'
  | 'method-not-allowed'
  | 'request-timeout'
  | 'conflict'
  | 'body-too-large'
  | 'unsupported-body'
  | 'expectation-failed'
  | 'idempotency-mismatch'
  | 'too-many-requests'
  | 'headers-too-large'
  | 'internal-error'
  | 'unavailable'
  | (string & {});

// Ends the message when the response has no problem document.
const STRANGER = ' (not a response of the service: check baseUrl and the proxies in between)';

/**
 * The service responded with an error status. Subclasses name the kinds that callers handle
 * differently.
 */
export class SurveyApiError extends Error {
  override readonly name: string = 'SurveyApiError';
  readonly status: number;
  // The service's problem body; absent when a proxy responded instead.
  readonly problem: Problem | undefined;
  // Name of the kind of problem; undefined when a proxy responded instead.
  readonly code: ProblemCode | undefined;
  // Id to quote when asking for help.
  readonly requestId: string | undefined;
  // Minimum wait before the next attempt, as the service requests.
  readonly retryAfterMs: number | undefined;

  constructor({ status, statusText, headers }: Response, problem: Problem | undefined) {
    super(`${status} ${problem === undefined ? `${statusText}${STRANGER}` : describeProblem(problem)}`);
    this.status = status;
    this.problem = problem;
    this.code = /^urn:survey:problem:(.+)/.exec(problem?.type ?? '')?.[1];
    this.requestId = headers.get('x-request-id') ?? undefined;
    this.retryAfterMs = readRetryAfter(headers.get('retry-after'));
  }
}

/** One fault of a request: its JSON pointer, query parameter or header, and what is wrong. */
export type FieldError = NonNullable<Problem['errors']>[number];

/** 400, 413, 415 or 422: the request is invalid. `errors` locates each fault. */
export class ValidationError extends SurveyApiError {
  override readonly name = 'ValidationError';

  get errors(): readonly FieldError[] {
    return this.problem?.errors ?? [];
  }
}

/** 401: the key is missing, unknown or revoked. */
export class AuthenticationError extends SurveyApiError {
  override readonly name = 'AuthenticationError';
}

/** 403: the key does not have the scope of the endpoint. */
export class PermissionError extends SurveyApiError {
  override readonly name = 'PermissionError';
}

/** 404: the object does not exist or is not released. */
export class NotFoundError extends SurveyApiError {
  override readonly name = 'NotFoundError';
}

/** 409: the request conflicts with another, such as an import that is still running. */
export class ConflictError extends SurveyApiError {
  override readonly name = 'ConflictError';
}

/** 429: the key has used up its requests; `retryAfterMs` says when to continue. */
export class RateLimitError extends SurveyApiError {
  override readonly name = 'RateLimitError';
}

/** 5xx: the service failed or is temporarily unavailable. */
export class ServiceError extends SurveyApiError {
  override readonly name = 'ServiceError';
}

/**
 * The response is missing or incomplete: the network failed or a timeout passed. The message ends
 * with the cause.
 */
export class SurveyConnectionError extends Error {
  override readonly name: string = 'SurveyConnectionError';

  constructor(url: string, cause: unknown) {
    super(`cannot get a response from ${new URL(url).origin}: ${describeCause(cause)}`, { cause });
  }
}

/** Something else than the service responded, such as a page of another host. Never retried. */
export class UnexpectedResponseError extends SurveyConnectionError {
  override readonly name = 'UnexpectedResponseError';

  constructor(url: string, reason: string) {
    super(url, `${reason}${STRANGER}`);
  }
}

const KINDS: Readonly<Record<number, typeof SurveyApiError>> = {
  400: ValidationError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  413: ValidationError,
  415: ValidationError,
  422: ValidationError,
  429: RateLimitError,
};

/** Returns the error of a response by its status. */
export function apiError(response: Response, body: string): SurveyApiError {
  const Kind = KINDS[response.status] ?? (response.status >= 500 ? ServiceError : SurveyApiError);
  return new Kind(response, readProblem(response, body));
}

function readProblem({ headers }: Response, body: string): Problem | undefined {
  if (!headers.get('content-type')?.startsWith('application/problem+json')) return undefined;
  try {
    // The only error format of the service, by its OpenAPI document. A proxy may leave out more.
    const problem = JSON.parse(body) as (Omit<Problem, 'type'> & { readonly type?: string }) | null;
    return typeof problem?.detail === 'string' ? { ...problem, type: problem.type ?? 'about:blank' } : undefined;
  } catch {
    return undefined;
  }
}

// A problem with a single fault often repeats the sentence of that fault.
function describeProblem({ detail, errors: [first] = [] }: Problem): string {
  return first === undefined || detail.includes(first.detail) ? detail : `${detail} First: ${describeFieldError(first)}`;
}

function describeFieldError({ detail, pointer, parameter, header }: FieldError): string {
  return `${pointer ?? parameter ?? header ?? 'request'}: ${detail}`;
}

// fetch reports "fetch failed" and hides the reason, such as ECONNREFUSED, in nested causes.
function describeCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return describeCause(error.cause);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return error.message === '' ? code || error.name : error.message;
}

// Seconds, or a date (RFC 9110, 10.2.3).
function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
