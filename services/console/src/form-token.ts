import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Session } from './sign-in/session.ts';

type FormSession = Pick<Session, 'formSecret' | 'foundAt'>;

const HOUR_MS = 3_600_000;

/** Returns a form token, valid for one session, one path and at most two hours. */
export function formToken({ formSecret, foundAt }: FormSession, path: string, hour = Math.floor(foundAt / HOUR_MS)): string {
  return createHmac('sha256', formSecret).update(`${hour} ${path}`).digest('base64url');
}

export function isFormToken(session: FormSession, path: string, sentToken: string): boolean {
  const hour = Math.floor(session.foundAt / HOUR_MS);
  // The next hour: after a failover, the clock may be behind that of the former server.
  return [hour + 1, hour, hour - 1].some((each) => isSame(formToken(session, path, each), sentToken));
}

/**
 * Returns whether a page of this origin sent the request. Browsers without Sec-Fetch-Site send
 * Origin.
 */
export function isFromOwnPage(headers: IncomingHttpHeaders, origin: string): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined ? headers.origin === origin : site === 'same-origin';
}

function isSame(expected: string, sentToken: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(sentToken)];
  return one.length === other.length && timingSafeEqual(one, other);
}
