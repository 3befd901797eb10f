/** Why a page is not shown; each reason has a text in every language. */
export type PageProblem =
  | 'notFound'
  | 'notAdmin'
  | 'crossSite'
  | 'oldForm'
  | 'usedForm'
  | 'conflict'
  | 'invalid'
  | 'tooLarge'
  | 'tooMany'
  | 'unavailable'
  | 'sessionsUnavailable'
  | 'providerUnavailable'
  | 'signInFailed'
  | 'unverifiedEmail'
  | 'weakSignIn'
  | 'noAccount'
  | 'fault';

/** Ends a request with an error page. */
export class PageError extends Error {
  override readonly name = 'PageError';
  readonly status: number;
  readonly problem: PageProblem;
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, problem: PageProblem, retryAfterSeconds?: number) {
    super(problem);
    this.status = status;
    this.problem = problem;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export const notFoundPage = (): PageError => new PageError(404, 'notFound');
