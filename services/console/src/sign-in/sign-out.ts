import { decodeJwt, jwtVerify } from 'jose';
import { buildEndSessionUrl } from 'openid-client';
import { z } from 'zod';
import { clearCookie, SESSION_COOKIE } from '../cookies.ts';
import { networkOf } from '../client-address.ts';
import { PageError } from '../page-error.ts';
import { sessionSchema, type NewSession } from './session.ts';
import type { SessionsOf } from './store.ts';
import { none } from '../views/html.ts';
import type { Reply, SignedInVisit, Visit } from '../visit.ts';
import type { Issuer } from '../config.ts';
import { CLOCK_TOLERANCE_S, providerError } from './sign-in-providers.ts';

const SIGNED_OUT = '/sign-in?after=sign-out';

/** Ends this session, and the provider's where it offers that. */
export async function postSignOut(visit: SignedInVisit): Promise<Reply> {
  await visit.services.sessions.end(visit.sessionId);
  await takeForAudit(visit, visit.session.issuer, visit.session);
  return leave(visit);
}

/** Ends every session of the user, on every device. */
export async function postSignOutEverywhere(visit: SignedInVisit): Promise<Reply> {
  const { issuer, subject } = visit.session;
  await visit.services.sessions.endAll(issuer, { subject });
  return leave(visit);
}

// Bounded: the accounts of one user, stored by the console itself.
const accountsSchema = sessionSchema.shape.accounts;
const auditName = (issuer: string, { subject, sid }: SessionsOf): string =>
  sid === undefined ? `subject ${issuer} ${subject}` : `sid ${issuer} ${sid}`;

/** Keeps the accounts of a sign-in, in which a sign-out that the provider reports is recorded. */
export async function keepForAudit({ services }: Visit, { issuer, subject, sid, accounts }: NewSession): Promise<void> {
  const seconds = services.sessionLimits.maxMs / 1_000;
  for (const of of [{ subject }, ...(sid === undefined ? [] : [{ sid }])])
    await services.sessions.keep(auditName(issuer, of), accounts, seconds);
}

async function takeForAudit({ services }: Visit, issuer: string, of: SessionsOf): Promise<NewSession['accounts']> {
  return accountsSchema.safeParse(await services.sessions.take(auditName(issuer, of))).data ?? [];
}

async function endByProvider(visit: Visit, { id, issuer }: Issuer, of: SessionsOf, channel: string): Promise<void> {
  await visit.services.sessions.endAll(issuer, of);
  await noteSignOut(visit, await takeForAudit(visit, issuer, of), 'sign-out.provider');
  visit.log.info({ issuer: id }, channel);
}

// The session has ended already, with or without an entry.
async function noteSignOut(visit: Visit, accounts: NewSession['accounts'], action: string): Promise<void> {
  for (const account of accounts)
    await visit.noteAudit(account, action).catch((err: unknown) => visit.log.warn({ err }, 'sign-out not recorded'));
}

async function leave(visit: SignedInVisit): Promise<Reply> {
  clearCookie(visit.response, SESSION_COOKIE);
  await noteSignOut(visit, visit.session.accounts, 'sign-out');
  const provider = await providerLogout(visit);
  return provider === undefined ? { redirect: SIGNED_OUT } : { leadOn: provider };
}

/**
 * Returns the provider's address for signing out (OpenID Connect RP-Initiated Logout 1.0), if any.
 */
async function providerLogout({ services, session, language }: SignedInVisit): Promise<string | undefined> {
  const issuer = services.issuers.find(session.issuerId);
  // An unavailable provider must not prevent signing out of the console.
  const configuration = issuer && (await services.issuers.discover(issuer).catch(() => undefined));
  if (configuration?.serverMetadata().end_session_endpoint === undefined) return undefined;
  const post_logout_redirect_uri = `${services.origin}${SIGNED_OUT}`;
  return buildEndSessionUrl(configuration, { post_logout_redirect_uri, ui_locales: language }).href;
}

/** An identifier of a user at a provider. PostgreSQL cannot store U+0000. */
export const subject = z
  .string()
  .max(255)
  .regex(/^[^\0]+$/);

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const MAX_TOKEN_AGE_S = 300;
// Longer than a token is valid by any clock.
const USED_SECONDS = MAX_TOKEN_AGE_S + 2 * CLOCK_TOLERANCE_S + 60;

const logoutClaims = z
  .looseObject({
    sub: subject.optional(),
    sid: z.string().min(1).optional(),
    events: z.looseObject({ [LOGOUT_EVENT]: z.looseObject({}) }),
    nonce: z.never().optional(),
    jti: z.string(),
  })
  .refine(({ sub, sid }) => sub !== undefined || sid !== undefined, 'sub or sid is required');

/** Ends sessions when the provider reports a sign-out (OpenID Connect Back-Channel Logout 1.0). */
export async function postBackChannelLogout(visit: Visit): Promise<Reply> {
  const { issuers, sessions, limits } = visit.services;
  const token = visit.form.get('logout_token') ?? '';
  const issuer = issuerOf(token, issuers.all);
  // Counted by network and issuer, so that nobody else can use up what a provider may send.
  const sender = `${networkOf(visit.address)} ${issuer?.id}`;
  await limits.unverified(sender);
  if (issuer === undefined) throw new PageError(400, 'signInFailed');
  const keys = await issuers.keys(issuer);
  const expected = { issuer: issuer.issuer, audience: issuer.client_id };
  const claims = await jwtVerify(token, keys, { ...expected, maxTokenAge: MAX_TOKEN_AGE_S, clockTolerance: CLOCK_TOLERANCE_S })
    .then(({ payload }) => logoutClaims.parse(payload))
    .catch((error: unknown) => {
      visit.log.warn({ issuer: issuer.id, code: providerError(error) }, 'back-channel logout rejected');
      throw new PageError(400, 'signInFailed');
    });
  await limits.verified(sender, issuer.id);
  const isNew = await sessions.useOnce(`logout ${issuer.issuer} ${claims.jti}`, USED_SECONDS);
  if (!isNew) throw new PageError(400, 'signInFailed');
  await endByProvider(visit, issuer, { subject: claims.sub, sid: claims.sid }, 'back-channel logout');
  return { fragment: none };
}

/**
 * Ends our sessions that belong to one session at the provider, whose page loads this address in a
 * frame (OpenID Connect Front-Channel Logout 1.0). Our cookies do not reach a frame of another
 * site, so the provider must name the session by its sid. Whoever knows a sid can do no more than
 * end its session.
 */
export async function getFrontChannelLogout(visit: Visit): Promise<Reply> {
  const { services, query, response } = visit;
  const sid = query.get('sid') ?? '';
  const issuer = services.issuers.all.find((one) => one.issuer === query.get('iss'));
  if (issuer === undefined || sid === '') throw new PageError(400, 'signInFailed');
  await endByProvider(visit, issuer, { sid }, 'front-channel logout');
  const frameAncestors = `frame-ancestors ${new URL(issuer.issuer).origin}`;
  response.removeHeader('X-Frame-Options');
  return { fragment: none, headers: { 'Content-Security-Policy': `default-src 'none'; ${frameAncestors}` } };
}

// Read from the token before its signature is checked, so that no other provider is asked.
function issuerOf(token: string, all: readonly Issuer[]): Issuer | undefined {
  try {
    const { iss, aud = [] } = decodeJwt(token);
    return all.find(({ issuer, client_id }) => issuer === iss && [aud].flat().includes(client_id));
  } catch {
    return undefined;
  }
}
