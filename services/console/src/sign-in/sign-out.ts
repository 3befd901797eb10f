import { createRemoteJWKSet, jwtVerify } from 'jose';
import { buildEndSessionUrl } from 'openid-client';
import { z } from 'zod';
import { clearCookie, SESSION_COOKIE } from '../http/cookies.ts';
import { PageError } from '../http/page-error.ts';
import { none } from '../views/html.ts';
import type { Reply, SignedInVisit, Visit } from '../visit.ts';

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

const logoutClaims = z.looseObject({
  sub: z.string().optional(),
  sid: z.string().optional(),
  events: z.record(z.string(), z.unknown()),
  nonce: z.undefined(),
  jti: z.string(),
});
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const MAX_TOKEN_AGE = '5m';

/** Ends sessions when the provider reports a sign-out (OpenID Connect Back-Channel Logout 1.0). */
export async function postBackChannelLogout(visit: Visit): Promise<Reply> {
  const token = visit.form.get('logout_token') ?? '';
  for (const issuer of visit.services.issuers.all) {
    const { jwks_uri } = (await visit.services.issuers.discover(issuer)).serverMetadata();
    if (jwks_uri === undefined) continue;
    const keys = createRemoteJWKSet(new URL(jwks_uri));
    const options = { issuer: issuer.issuer, audience: issuer.client_id, maxTokenAge: MAX_TOKEN_AGE };
    const verified = await jwtVerify(token, keys, options).catch(() => undefined);
    const claims = logoutClaims.safeParse(verified?.payload).data;
    if (claims === undefined || !Object.hasOwn(claims.events, LOGOUT_EVENT)) continue;
    if (!(await visit.services.sessions.useOnce(`logout ${issuer.issuer} ${claims.jti}`, 600))) continue;
    const ended = await visit.services.sessions.endAll(issuer.issuer, { subject: claims.sub, sid: claims.sid });
    visit.log.info({ issuer: issuer.id, ended }, 'back-channel logout');
    return { fragment: none };
  }
  throw new PageError(400, 'signInFailed');
}
