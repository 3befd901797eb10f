import { randomUUID } from 'node:crypto';
import { Histogram } from '@survey/process/metrics.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { bindUpstream } from '@survey/rpc/upstream.ts';
import { isRepeatable, type MethodDefinition } from '@survey/rpc/definition.ts';
import { AccountAdminServiceDefinition } from '@survey/proto/admin/v1/admin.ts';
import { TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import express, { type ErrorRequestHandler, type Express, type Request, type RequestHandler, type Response } from 'express';
import { routeTable } from './routes.ts';
import { findKeptForm } from './sign-in/step-up.ts';
import { isDueForRotation } from './sign-in/session.ts';
import { LANGUAGES, pickLanguage } from './texts/languages.ts';
import { formatOf } from './views/format.ts';
import { countPending, type Frame } from './views/layout.ts';
import { CHANGE_MS, READ_MS, type AccountVisit, type Route, type Services, type SignedInVisit, type Visit } from './visit.ts';
import { clientAddress, networkOf } from './client-address.ts';
import { LANGUAGE_COOKIE, readCookie, SESSION_COOKIE, setCookie, ZONE_COOKIE } from './cookies.ts';
import { showError, respond } from './respond.ts';
import { isFormToken, isFromOwnPage } from './form-token.ts';
import { notFoundPage, PageError } from './page-error.ts';

// Holds a thousand hidden words, and the keywords of a topic in all languages.
const MAX_FORM = '256kb';
// Providers post here, without a session or a form of the console.
const BACK_CHANNEL = '/sign-out/back-channel';
// Loaded by browsers in a frame of the provider.
const FRONT_CHANNEL = '/sign-out/front-channel';

// An unknown address inside an account keeps the navigation.
const MISSING_PAGE: Route = {
  method: 'get',
  path: '/a/:account/{*path}',
  access: 'account',
  handle: () => Promise.reject(notFoundPage()),
};

/** Middleware of every request, in order. */
export function createApp(services: Services, context: ServiceContext, proxyHops: number): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false).set('trust proxy', proxyHops);
  app.enable('case sensitive routing');
  app.use(observe(context));
  app.use(securityHeaders);
  app.get('/assets/{*path}', serveAssets(services));
  const parseForm = express.text({ type: 'application/x-www-form-urlencoded', limit: MAX_FORM });
  for (const route of routeTable) {
    const before = route.method === 'post' && route.isUpload !== true ? [parseForm] : [];
    // Bounded: a few handlers.
    app[route.method](route.path, ...before, serveRoute(route, services, context));
  }
  app.get('/a/:account/{*path}', serveRoute(MISSING_PAGE, services, context));
  app.use((request, response) => {
    throw Object.assign(notFoundPage(), { visit: openVisit(request, response, services, context) });
  });
  app.use(handleErrors(services, context));
  return app;
}

function observe({ metrics, log }: ServiceContext): RequestHandler {
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Duration of requests, from their headers to the end of the response, in seconds.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10, 60],
    registers: [metrics],
  });
  return (request, response, next) => {
    const startedAt = performance.now();
    const requestId = randomUUID();
    response.locals['requestId'] = requestId;
    response.setHeader('X-Request-Id', requestId);
    response.once('close', () => {
      const seconds = (performance.now() - startedAt) / 1_000;
      // The route pattern without the query: searches contain names.
      const route = typeof request.route?.path === 'string' ? request.route.path : 'none';
      const { method } = request;
      const { statusCode: status } = response;
      duration.observe({ method, route, status }, seconds);
      log.info({ method, route, status, request_id: requestId, duration_ms: Math.round(seconds * 1e6) / 1e3 }, 'request served');
    });
    next();
  };
}

function serveAssets({ assets }: Services): RequestHandler {
  return (request, response) => {
    const asset = assets.find(request.path);
    if (asset === undefined) response.status(404).end();
    else response.set({ 'Content-Type': asset.type, 'Cache-Control': 'public, max-age=31536000, immutable' }).send(asset.body);
  };
}

function serveRoute(route: Route, services: Services, context: ServiceContext): RequestHandler {
  return async (request, response) => {
    let visit: Visit = openVisit(request, response, services, context);
    let frame: Frame = {};
    try {
      // PostgreSQL cannot store U+0000, and no search could find it.
      if (/%00|\0/.test(`${request.originalUrl}${visit.form.toString()}`)) throw new PageError(400, 'invalid');
      if (route.method === 'post') requireOwnPage(request, route, services);
      visit = await findSession(visit);
      const savedForm = route.method === 'get' ? await findKeptForm(visit) : undefined;
      if (savedForm !== undefined) visit = { ...visit, form: savedForm, isResumed: true };
      await limit(visit, route);
      if (route.method === 'post' && route.isUpload !== true) requireToken(visit, route);
      const entered = enter(visit, route);
      visit = entered;
      if (route.access === 'account') frame = { account: { ...entered.account, pending: await countPending(entered) } };
      await respond(visit, await route.handle(entered), frame);
    } catch (error) {
      throw Object.assign(error instanceof Error ? error : new Error(String(error)), { visit, frame });
    }
  };
}

// Runs before the user is known.
function openVisit(request: Request, response: Response, services: Services, { log }: ServiceContext): Visit {
  const language = pickLanguage(readCookie(request, LANGUAGE_COOKIE), request.headers['accept-language']);
  // Split and not parsed: a path such as `//[` is not a URL.
  const [path = '', search = ''] = request.originalUrl.split(/\?(.*)/s);
  const requestId = String(response.locals['requestId']);
  const visit: Visit = {
    services,
    request,
    response,
    requestId,
    address: clientAddress(request.ip ?? '', request.socket.remoteAddress ?? ''),
    log: log.child({ request_id: requestId }),
    language,
    texts: LANGUAGES[language],
    format: formatOf(language, readCookie(request, ZONE_COOKIE)),
    path,
    query: new URLSearchParams(search),
    form: new URLSearchParams(typeof request.body === 'string' ? request.body : ''),
    session: undefined,
    sessionId: undefined,
    isResumed: false,
    noteAudit: async ({ id: account_id, principal }, action, what = '') => {
      const caller = { requestId, address: visit.address, ...(principal && { onBehalfOf: principal }) };
      await services.admin.noteAudit({ account_id, action, what }, { caller, deadlineMs: CHANGE_MS });
    },
  };
  return visit;
}

function requireOwnPage(request: Request, { access, path }: Route, { origin }: Services): void {
  if (path === BACK_CHANNEL && access === 'public') return;
  if (!isFromOwnPage(request.headers, origin)) throw new PageError(403, 'crossSite');
}

async function findSession(visit: Visit): Promise<Visit> {
  const { sessions } = visit.services;
  const id = readCookie(visit.request, SESSION_COOKIE);
  if (id === undefined) return visit;
  const session = await sessions.find(id);
  if (session === undefined) return visit;
  if (!isDueForRotation(session)) return { ...visit, session, sessionId: id };
  const next = await sessions.rotate(id, session);
  if (next !== undefined) setCookie(visit.response, SESSION_COOKIE, next);
  // Without a next id, another request has replaced this one or ended the session.
  return { ...visit, session: await sessions.find(next ?? id), sessionId: next ?? id };
}

async function limit({ services: { limits }, sessionId, address, path }: Visit, route: Route): Promise<void> {
  const { method } = route;
  if (sessionId !== undefined) await limits.page(sessionId);
  if (sessionId !== undefined && method === 'post') await limits.change(sessionId);
  if (path.startsWith('/sign-in') && method === 'post') await limits.signIn(networkOf(address));
  if (path.startsWith('/mail/')) await limits.mailedLink(networkOf(address));
  if (route.path === FRONT_CHANNEL) await limits.unverified(networkOf(address));
}

function requireToken({ session, form, path }: Visit, { path: pattern }: Route): void {
  if (pattern === BACK_CHANNEL) return;
  // Before sign-in there is no session that a cross-site form could abuse.
  if (session === undefined || pattern === '/language' || pattern === '/sign-in') return;
  // A replaced id changes nothing, except that it can still end the session.
  if (session.isReplaced && !pattern.startsWith('/sign-out')) throw new PageError(403, 'oldForm');
  if (!isFormToken(session, path, form.get('token') ?? '')) throw new PageError(403, 'oldForm');
}

// Rejects users without permission, and gives the handler its clients.
function enter(visit: Visit, { access }: Route): AccountVisit {
  const { session, sessionId } = visit;
  // A handler of a public route takes a Visit, so it reads nothing that only an AccountVisit has.
  if (access === 'public') return visit as AccountVisit;
  if (session === undefined || sessionId === undefined) throw new SignInNeeded();
  const signedIn: SignedInVisit = { ...visit, session, sessionId };
  if (access === 'signed-in') return asAccountVisit(signedIn, { id: 0, name: '' });
  const account = session.accounts.find(({ id }) => id === Number(visit.request.params['account']));
  if (account === undefined) throw notFoundPage();
  return asAccountVisit(signedIn, { id: account.id, name: account.name });
}

/** Redirects a user without a session to sign-in, and back afterwards. */
class SignInNeeded extends Error {
  override readonly name = 'SignInNeeded';
}

function asAccountVisit(visit: SignedInVisit, account: { id: number; name: string }): AccountVisit {
  const { services, requestId, address, session } = visit;
  const caller = (accountId = account.id) => {
    const principal = session.accounts.find(({ id }) => id === accountId)?.principal;
    const onBehalfOf = principal ?? ({ kind: 'admin', employeeId: 0, issuer: session.issuer, subject: session.subject } as const);
    return { requestId, address, accountId, onBehalfOf };
  };
  const optionsOf = (method: MethodDefinition) => ({ caller: caller(), deadlineMs: deadlineOf(method) });
  const params = Object.fromEntries(Object.entries(visit.request.params).map(([name, value]) => [name, String(value)]));
  return {
    ...visit,
    account,
    params,
    caller,
    admin: bindUpstream(AccountAdminServiceDefinition, services.admin, optionsOf, { account_id: account.id }),
    topics: bindUpstream(TopicServiceDefinition, services.topics, optionsOf),
    noteAudit: async ({ id: account_id }, action, what = '') => {
      await services.admin.noteAudit({ account_id, action, what }, { caller: caller(account_id), deadlineMs: CHANGE_MS });
    },
  };
}

const deadlineOf = (method: MethodDefinition): number => (isRepeatable(method) ? READ_MS : CHANGE_MS);

interface Failed {
  readonly visit?: Visit;
  readonly frame?: Frame;
}

function handleErrors(services: Services, context: ServiceContext): ErrorRequestHandler {
  return async (error: Error & Failed, request, response, _next) => {
    if (response.headersSent) response.destroy(error);
    if (response.destroyed) return;
    const visit = error.visit ?? openVisit(request, response, services, context);
    await showError(visit, error, error.frame ?? {});
  };
}

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** Sets the headers of every response, errors included. */
const securityHeaders: RequestHandler = (_request, response, next) => {
  response.set({
    'Content-Security-Policy': POLICY,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    // With no-referrer, browsers send `Origin: null` with the console's own forms.
    'Referrer-Policy': 'same-origin',
    // Ignored without TLS, as in development.
    'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Cache-Control': 'no-store',
    Vary: 'Cookie, Accept-Language',
  });
  next();
};
