import type { Problem } from './resources.ts';

/** The service responded with an error status. */
export class SurveyApiError extends Error {
  override readonly name = 'SurveyApiError';
  readonly status: number;
  // The service's problem body; absent when a proxy responded instead.
  readonly problem: Problem | undefined;
  // Id to quote when asking for help.
  readonly requestId: string | undefined;
  // Minimum wait before the next attempt, as the service requests.
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
 * The response is missing or incomplete: the network failed or a timeout passed. `cause` says
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
    // The only error format of the service, by its OpenAPI document.
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
