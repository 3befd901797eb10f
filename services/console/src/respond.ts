import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { html } from './views/html.ts';
import { layout, type Frame } from './views/layout.ts';
import { head, note } from './views/parts.ts';
import type { Reply, Visit } from './visit.ts';
import { ApplicationError, type ApplicationErrorCode } from '@survey/rpc/application-error.ts';
import { UpstreamError } from '@survey/rpc/upstream-error.ts';
import { PageError, type PageProblem } from './page-error.ts';

/** Sends the result of a handler. */
export async function respond(visit: Visit, reply: Reply, frame: Frame): Promise<void> {
  const { response, texts } = visit;
  if ('redirect' in reply) return response.redirect(303, reply.redirect);
  if ('csv' in reply) return sendCsv(response.type('text/csv').attachment(reply.csv), reply.rows);
  if ('fragment' in reply)
    return void response
      .set(reply.headers ?? {})
      .type('html')
      .send(String(await reply.fragment));
  if ('leadOn' in reply) {
    response.set('Refresh', `0; url=${reply.leadOn}`);
    const body = html`${head(texts.signIn.leadOn)}
      <p><a class="btn primary" href="${reply.leadOn}">${texts.signIn.goOn}</a></p>`;
    return void response
      .type('html')
      .send(String(await layout({ ...visit, session: undefined }, { title: texts.signIn.leadOn, body }, {})));
  }
  const { page } = reply;
  response
    .status(page.status ?? 200)
    .type('html')
    .send(String(await layout(visit, page, frame)));
}

/**
 * Sends rows as fast as the browser reads them. When the browser leaves, the rows are ended, which
 * cancels the call that they come from.
 */
export async function sendCsv(response: ServerResponse, rows: AsyncIterable<readonly string[]>): Promise<void> {
  await pipeline(rows, csvLines, response);
}

// Without the mark, spreadsheets take UTF-8 for an older encoding.
async function* csvLines(rows: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  yield '\uFEFF';
  for await (const row of rows) yield csvLine(row);
}

/**
 * Returns a line of CSV (RFC 4180). Text that a spreadsheet would read as a formula gets a leading
 * apostrophe, even after a semicolon, tab or line feed within a cell, where some programs split.
 */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cell).join(',')}\r\n`;
}

// The full-width signs are read as their ASCII counterparts.
const FORMULA = /(?<=^|[;\t\r\n])(?=[\s"']*[=+\-@＝＋－＠])|^(?=[\t\r\n])/g;

function cell(value: string): string {
  const safe = value.replaceAll(FORMULA, "'");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

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
