import * as client from 'openid-client';
import { z } from 'zod';
import type { Issuer } from '../config.ts';
import { readCookie, SESSION_COOKIE, setCookie, SIGN_IN_COOKIE } from '../cookies.ts';
import { PageError } from '../page-error.ts';
import { newSession, type NewSession } from './session.ts';
import type { Reply, Visit } from '../visit.ts';
import { providerError } from './sign-in-providers.ts';
import { keepForAudit, subject } from './sign-out.ts';
import { callbackUrl, startName, startSchema, type Start } from './start.ts';

const claimsSchema = z.looseObject({
  sub: subject,
  sid: z.string().optional(),
  // PostgreSQL cannot store U+0000.
  email: z
    .string()
    .regex(/^[^\0]*$/)
    .optional(),
  email_verified: z.unknown().optional(),
  acr: z.unknown().optional(),
  amr: z.unknown().optional(),
  auth_time: z.number().optional(),
  iat: z.number(),
});
type Claims = z.infer<typeof claimsSchema>;

const STEP_UP_MAX_AGE_S = 60;
// Two machines of a provider may issue the two times.
const AUTH_TIME_AHEAD_S = 10;

/**
 * Completes a sign-in: validates the provider's response, looks up the user's roles and starts a
 * session, or renews the session of the same user under a new id.
 */
export async function getCallback(visit: Visit): Promise<Reply> {
  const begun = await takeStart(visit);
  // Nothing began it in this browser, or it has been completed, such as before a step back.
  if (begun === undefined && visit.session !== undefined) return { redirect: landingPath(visit.session, '/') };
  if (begun === undefined) throw new PageError(400, 'signInFailed');
  const { start, issuer } = begun;
  const claims = await exchange(visit, issuer, start);
  requireStrength(issuer, claims);
  if (start.stepUpOf !== undefined) return stepUp(visit, start, claims);
  const session = await sessionOf(visit, issuer, claims);
  await begin(visit, session, start);
  return { redirect: landingPath(session, start.returnTo) };
}

// Compared before it is consumed: a response that is not for it, or comes to the address of another
// issuer, leaves the sign-in pending.
async function takeStart({ request, query, services }: Visit): Promise<{ start: Start; issuer: Issuer } | undefined> {
  const browser = readCookie(request, SIGN_IN_COOKIE);
  const [state, ...others] = query.getAll('state');
  if (browser === undefined || state === undefined || others.length > 0) return undefined;
  const name = startName(browser, state);
  const pending = startSchema.safeParse(await services.sessions.read(name)).data;
  if (pending === undefined || pending.issuerId !== request.params['issuer']) return undefined;
  const [start, issuer] = [
    startSchema.safeParse(await services.sessions.take(name)).data,
    services.issuers.find(pending.issuerId),
  ];
  return start && issuer && { start, issuer };
}

async function exchange(visit: Visit, issuer: Issuer, start: Start): Promise<Claims> {
  const configuration = await visit.services.issuers.discover(issuer);
  const url = new URL(callbackUrl(visit.services.origin, issuer));
  url.search = visit.query.toString();
  try {
    const tokens = await client.authorizationCodeGrant(configuration, url, {
      expectedState: start.state,
      expectedNonce: start.nonce,
      pkceCodeVerifier: start.verifier,
      idTokenExpected: true,
    });
    const claims = claimsSchema.parse(tokens.claims());
    if ((claims.auth_time ?? 0) > claims.iat + AUTH_TIME_AHEAD_S) throw new Error('auth_time is later than iat');
    if (start.stepUpOf !== undefined && !(claims.iat - (claims.auth_time ?? 0) <= STEP_UP_MAX_AGE_S))
      throw new Error('the provider did not authenticate the user anew');
    if (claims.email !== undefined || tokens.access_token === undefined) return claims;
    // Some providers return the e-mail address only at the userinfo endpoint.
    const userInfo = await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
    return claimsSchema.parse({ ...userInfo, ...claims });
  } catch (error) {
    visit.log.warn({ issuer: issuer.id, code: providerError(error) }, 'sign-in rejected');
    throw new PageError(400, 'signInFailed');
  }
}

// A step-up must meet this, too, or a weaker authentication would count.
function requireStrength({ acr_values, amr_values }: Issuer, { acr, amr }: Claims): void {
  const isStrong =
    (acr_values.length === 0 || acr_values.some((value) => value === acr)) &&
    (amr_values.length === 0 || amr_values.some((value) => [amr].flat().includes(value)));
  if (!isStrong) throw new PageError(403, 'weakSignIn');
}

async function sessionOf(visit: Visit, issuer: Issuer, claims: Claims): Promise<NewSession> {
  const isVerified = issuer.trust_email || claims.email_verified === true;
  const adminAccounts = await visit.services.admin.findAdminAccounts(
    {
      issuer: issuer.issuer,
      subject: claims.sub,
      verified_email: isVerified ? (claims.email ?? '') : '',
    },
    { caller: { requestId: visit.requestId }, deadlineMs: 10_000 },
  );
  const accounts = adminAccounts.accounts.flatMap((each): NewSession['accounts'] => {
    const { account, employee_id: employeeId, invitation_id: invitationId, email, managed } = each;
    const by = { issuer: issuer.issuer, subject: claims.sub };
    const principal =
      invitationId === 0 ? ({ kind: 'admin', employeeId, ...by } as const) : ({ kind: 'invited', invitationId, ...by } as const);
    return account === null ? [] : [{ id: account.account_id, name: account.name, principal, email, managed }];
  });
  const [first] = accounts;
  if (first === undefined) throw new PageError(403, isVerified ? 'noAccount' : 'unverifiedEmail');
  const { sub, sid } = claims;
  const now = await visit.services.sessions.now();
  const identity = {
    issuerId: issuer.id,
    issuer: issuer.issuer,
    subject: sub,
    ...(sid !== undefined && { sid }),
    authTime: authenticatedAt(claims, now),
    name: first.email,
    accounts,
  };
  return newSession(identity, now);
}

// Nobody is signed in without an entry in the audit.
async function begin(visit: Visit, session: NewSession, { begunAt }: Start): Promise<void> {
  for (const account of session.accounts) await visit.noteAudit(account, 'sign-in');
  await keepForAudit(visit, session);
  const id = (await renew(visit, session)) ?? (await visit.services.sessions.start(session, begunAt));
  if (id === undefined) throw new PageError(400, 'signInFailed');
  setCookie(visit.response, SESSION_COOKIE, id);
}

// A second tab of the same user renews the session of the first, whose forms remain valid. The
// session of anybody else ends.
async function renew({ session: current, sessionId, services }: Visit, session: NewSession): Promise<string | undefined> {
  if (current === undefined || sessionId === undefined) return undefined;
  const { formSecret, startedAt, version, isReplaced, foundAt } = current;
  const isSameUser = current.issuer === session.issuer && current.subject === session.subject;
  const renewed = { ...session, formSecret, startedAt, version, isReplaced, foundAt };
  if (isSameUser) return services.sessions.rotate(sessionId, renewed);
  await services.sessions.end(sessionId);
  return undefined;
}

// Renews the session only for the same user; another user of the same browser is rejected.
async function stepUp(visit: Visit, start: Start, claims: Claims): Promise<Reply> {
  const { session, sessionId } = visit;
  if (session === undefined || sessionId === undefined) throw new PageError(400, 'signInFailed');
  const isSameIssuer = session.issuerId === start.issuerId;
  const isSameUser = isSameIssuer && session.subject === claims.sub && start.stepUpOf === claims.sub;
  for (const account of session.accounts) await visit.noteAudit(account, isSameUser ? 'sign-in.again' : 'sign-in.again.rejected');
  if (!isSameUser) throw new PageError(400, 'signInFailed');
  const authTime = authenticatedAt(claims, session.foundAt);
  const id = await visit.services.sessions.rotate(sessionId, { ...session, authTime });
  if (id === undefined) throw new PageError(400, 'signInFailed');
  setCookie(visit.response, SESSION_COOKIE, id);
  return { redirect: start.returnTo };
}

// Both claims are times of the provider, whose clock may be minutes off. The token is new: it has
// the nonce of this sign-in.
function authenticatedAt({ iat, auth_time = iat }: Claims, now: number): number {
  return Math.floor(now / 1_000) - Math.max(0, iat - auth_time);
}

function landingPath({ accounts }: NewSession, returnTo: string): string {
  if (returnTo !== '/') return returnTo;
  return accounts.length === 1 ? `/a/${accounts[0]?.id}/` : '/accounts';
}
