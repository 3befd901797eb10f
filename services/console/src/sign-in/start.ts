import { randomBytes } from 'node:crypto';
import * as client from 'openid-client';
import { z } from 'zod';
import type { Issuer } from '../config.ts';
import { readCookie, setCookie, SIGN_IN_COOKIE } from '../cookies.ts';
import { PageError } from '../page-error.ts';
import { SIGN_IN_MS } from './store.ts';
import type { Visit } from '../visit.ts';
import { providerError } from './sign-in-providers.ts';

const START_SECONDS = SIGN_IN_MS / 1_000;

export const startSchema = z.object({
  issuerId: z.string(),
  // Sessions of the user that are ended later, such as by a sign-out everywhere, end this sign-in.
  begunAt: z.number(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
  // Subject that must authenticate again while signed in.
  stepUpOf: z.string().optional(),
});

export type Start = z.infer<typeof startSchema>;

/**
 * Returns the provider URL to redirect to. The callback is checked against the values stored here.
 */
export async function startSignIn(visit: Visit, issuer: Issuer, purpose: Pick<Start, 'returnTo' | 'stepUpOf'>): Promise<string> {
  const { issuers, sessions, origin } = visit.services;
  const configuration = await issuers.discover(issuer);
  const start: Start = {
    issuerId: issuer.id,
    begunAt: await sessions.now(),
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
    ...purpose,
  };
  const browser = readCookie(visit.request, SIGN_IN_COOKIE) ?? randomBytes(32).toString('base64url');
  await sessions.keep(startName(browser, start.state), start, START_SECONDS);
  setCookie(visit.response, SIGN_IN_COOKIE, browser, START_SECONDS);
  const parameters = {
    redirect_uri: callbackUrl(origin, issuer),
    scope: 'openid email profile',
    state: start.state,
    nonce: start.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(start.verifier),
    code_challenge_method: 'S256',
    ui_locales: visit.language,
    ...(issuer.acr_values.length > 0 && { acr_values: issuer.acr_values.join(' ') }),
    ...(issuer.login_hint !== undefined && { login_hint: issuer.login_hint }),
    ...(purpose.stepUpOf === undefined ? { max_age: '28800' } : { max_age: '0', prompt: 'login' }),
  };
  const pushed = configuration.serverMetadata().pushed_authorization_request_endpoint !== undefined;
  if (!pushed) return client.buildAuthorizationUrl(configuration, parameters).href;
  try {
    return (await client.buildAuthorizationUrlWithPAR(configuration, parameters)).href;
  } catch (error) {
    visit.log.warn({ issuer: issuer.id, code: providerError(error) }, 'sign-in not started');
    throw new PageError(503, 'providerUnavailable', 10);
  }
}

/** Each tab of a browser may have a sign-in of its own: they are told apart by their state. */
export const startName = (browser: string, state: string): string => `sign-in ${browser} ${state}`;

/**
 * Each issuer has its own redirect URI, so that a code of one issuer is never sent to another (RFC
 * 9700, section 4.4).
 */
export const callbackUrl = (origin: string, { id }: Issuer): string => `${origin}/sign-in/callback/${id}`;

const OWN_ORIGIN = 'http://own.invalid';

/**
 * Returns a console path to go back to, or the start page. A path that a browser would rewrite is
 * not one of ours: of `/.//evil.example` it would keep `//evil.example`, which is another host.
 */
export function ownPath(address: string | null | undefined): string {
  const path = address ?? '';
  return URL.parse(path, OWN_ORIGIN)?.href === `${OWN_ORIGIN}${path}` ? path : '/';
}
