import { ApplicationError, type ApplicationErrorCode } from '@survey/rpc/application-error.ts';
import { UpstreamError } from '@survey/rpc/upstream-error.ts';
import { PageError, type PageProblem } from './http/page-error.ts';
import { respond } from './respond.ts';
import { html } from './views/html.ts';
import type { Frame } from './views/layout.ts';
import { head, note } from './views/parts.ts';
import type { Visit } from './visit.ts';

const BY_CODE: Readonly<Partial<Record<ApplicationErrorCode, readonly [number, PageProblem]>>> = {
  invalid: [422, 'invalid'],
  not_found: [404, 'notFound'],
  conflict: [409, 'conflict'],
  too_large: [413, 'tooLarge'],
  busy: [503, 'unavailable'],
  forbidden: [403, 'notAdmin'],
};
const RETRY_SECONDS = 5;

/** Renders an error: its meaning, what to do, and the request id for support. */
export async function showError(visit: Visit, error: Error, frame: Frame): Promise<void> {
  if (error.name === 'SignInNeeded') return askToSignIn(visit);
  const { status, problem, retryAfterSeconds } = asPageError(visit, error);
  const { title, text } = visit.texts.problems[problem];
  if (retryAfterSeconds !== undefined) visit.response.set('Retry-After', String(retryAfterSeconds));
  if (problem === 'notAdmin') await leaveAccount(visit);
  const body = html`${head(title)}${note(status >= 500 || status === 429 ? 'warn' : 'bad', text, html`<p class="small">${visit.texts.problems.reference(visit.requestId)}</p>`, { isAlert: true })}
    <p class="block">
      <a class="btn" href="${visit.session === undefined ? '/sign-in' : '/'}"
        >${visit.session === undefined ? visit.texts.signIn.title : visit.texts.problems.toStart}</a
      >
    </p>`;
  const { account: _account, ...alone } = frame;
  await respond(visit, { page: { title, body, status } }, problem === 'notAdmin' ? alone : frame);
}

function asPageError(visit: Visit, error: Error): PageError {
  if (error instanceof PageError) return error;
  if (error instanceof UpstreamError) return new PageError(503, 'unavailable', RETRY_SECONDS);
  const page = error instanceof ApplicationError ? BY_CODE[error.code] : undefined;
  // Bounded: a pair.
  if (page !== undefined) return new PageError(...page, page[0] === 503 ? RETRY_SECONDS : undefined);
  const status: unknown = Reflect.get(error, 'status');
  if (status === 413) return new PageError(413, 'tooLarge');
  if (typeof status === 'number' && status >= 400 && status < 500) return new PageError(400, 'invalid');
  visit.log.error({ err: error }, 'request failed');
  return new PageError(500, 'fault');
}

// The cookie is kept, because another request of this browser may have replaced it by now.
async function askToSignIn(visit: Visit): Promise<void> {
  if (visit.request.get('HX-Request') !== undefined) return void visit.response.set('HX-Refresh', 'true').status(200).end();
  const returnTo = visit.request.method === 'GET' ? `?return=${encodeURIComponent(visit.request.originalUrl)}` : '';
  await respond(visit, { redirect: `/sign-in${returnTo}` }, {});
}

// An admin was offboarded or lost the role: the account is removed from the session.
async function leaveAccount(visit: Visit): Promise<void> {
  const { session, sessionId, services, path } = visit;
  const id = Number(/^\/a\/(\d+)\//.exec(path)?.[1]);
  if (session === undefined || sessionId === undefined) return;
  const accounts = session.accounts.filter((account) => account.id !== id);
  if (accounts.length > 0) await services.sessions.save(sessionId, { ...session, accounts });
  else await services.sessions.end(sessionId);
}
