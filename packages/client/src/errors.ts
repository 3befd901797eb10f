import type { Problem } from './resources.ts';

/** The service answered, but not with success. */
export class SurveyApiError extends Error {
  override readonly name = 'SurveyApiError';
  readonly status: number;
  // What the service says is wrong; absent when something on the way answered in its place.
  readonly problem: Problem | undefined;
  // To be quoted when asking for help.
  readonly requestId: string | undefined;
  // How long the service asks to wait before the next attempt.
  readonly retryAfterMs: number | undefined;

  constructor(response: Response, body: string) {
    const problem = readProblem(response, body);
    super(`${response.status} ${problem?.detail ?? response.statusText}`);
    this.status = response.status;
    this.problem = problem;
    this.requestId = response.headers.get('x-request-id') ?? undefined;
    this.retryAfterMs = readRetryAfter(response.headers.get('retry-after'));
  }
}

/**
 * There was no answer, or only a part of one: the network failed, or the time was up. `cause` says
 * which.
 */
export class SurveyConnectionError extends Error {
  override readonly name = 'SurveyConnectionError';

  constructor(cause: unknown) {
    super(`the service did not answer: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

function readProblem(response: Response, body: string): Problem | undefined {
  if (!response.headers.get('content-type')?.startsWith('application/problem+json')) return undefined;
  try {
    // The one shape that the service answers refusals in, by its OpenAPI document.
    return JSON.parse(body) as Problem;
  } catch {
    return undefined;
  }
}

// Seconds, or a date (RFC 9110, 10.2.3).
function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
