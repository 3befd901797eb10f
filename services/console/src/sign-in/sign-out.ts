import { decodeJwt, jwtVerify } from 'jose';
import { buildEndSessionUrl } from 'openid-client';
import { z } from 'zod';
import { clearCookie, SESSION_COOKIE } from '../http/cookies.ts';
import { PageError } from '../http/page-error.ts';
import { none } from '../views/html.ts';
import type { Reply, SignedInVisit, Visit } from '../visit.ts';
import type { Issuer } from '../config.ts';
import { CLOCK_TOLERANCE_S } from './sign-in-providers.ts';

const SIGNED_OUT = '/sign-in?after=sign-out';

/** Ends this session, and the provider's where it offers that. */
export async function postSignOut(visit: SignedInVisit): Promise<Reply> {
  await visit.services.sessions.end(visit.sessionId);
  return leave(visit);
}

/** Ends every session of the user, on every device. */
export async function postSignOutEverywhere(visit: SignedInVisit): Promise<Reply> {
  const { issuer, subject } = visit.session;
  await visit.services.sessions.endAll(issuer, { subject });
  return leave(visit);
}

async function leave(visit: SignedInVisit): Promise<Reply> {
  clearCookie(visit.response, SESSION_COOKIE);
  for (const account of visit.session.accounts)
    await visit.noteAudit(account, 'sign-out').catch((err: unknown) => visit.log.warn({ err }, 'sign-out not recorded'));
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

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const MAX_TOKEN_AGE_S = 300;
// Longer than a token is valid by any clock.
const USED_SECONDS = MAX_TOKEN_AGE_S + 2 * CLOCK_TOLERANCE_S + 60;

const logoutClaims = z
  .looseObject({
    sub: z.string().optional(),
    sid: z.string().optional(),
    events: z.looseObject({ [LOGOUT_EVENT]: z.looseObject({}) }),
    nonce: z.never().optional(),
    jti: z.string(),
  })
  .refine(({ sub, sid }) => sub !== undefined || sid !== undefined, 'sub or sid is required');

/** Ends sessions when the provider reports a sign-out (OpenID Connect Back-Channel Logout 1.0). */
export async function postBackChannelLogout(visit: Visit): Promise<Reply> {
  const { issuers, sessions } = visit.services;
  const token = visit.form.get('logout_token') ?? '';
  const issuer = issuerOf(token, issuers.all);
  const keys = issuer && (await issuers.keys(issuer));
  if (issuer === undefined || keys === undefined) throw new PageError(400, 'signInFailed');
  const expected = { issuer: issuer.issuer, audience: issuer.client_id };
  const claims = await jwtVerify(token, keys, { ...expected, maxTokenAge: MAX_TOKEN_AGE_S, clockTolerance: CLOCK_TOLERANCE_S })
    .then(({ payload }) => logoutClaims.parse(payload))
    .catch((error: unknown) => {
      const code = error instanceof Error ? error.name : 'unknown';
      visit.log.warn({ issuer: issuer.id, code }, 'back-channel logout rejected');
      throw new PageError(400, 'signInFailed');
    });
  const isNew = await sessions.useOnce(`logout ${issuer.issuer} ${claims.jti}`, USED_SECONDS);
  if (!isNew) throw new PageError(400, 'signInFailed');
  await sessions.endAll(issuer.issuer, { subject: claims.sub, sid: claims.sid });
  visit.log.info({ issuer: issuer.id }, 'back-channel logout');
  return { fragment: none };
}

/**
 * Ends the sessions of a session at the provider, whose page loads this address in a frame (OpenID
 * Connect Front-Channel Logout 1.0). Our cookies do not reach a frame of another site, so the
 * provider must name the session; who knows its sid could only end it.
 */
export async function getFrontChannelLogout({ services, query, log, response }: Visit): Promise<Reply> {
  const sid = query.get('sid') ?? '';
  const issuer = services.issuers.all.find((one) => one.issuer === query.get('iss'));
  if (issuer === undefined || sid === '') throw new PageError(400, 'signInFailed');
  await services.sessions.endAll(issuer.issuer, { sid });
  log.info({ issuer: issuer.id }, 'front-channel logout');
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
