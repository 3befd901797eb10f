import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const HOUR_MS = 3_600_000;

/** Returns a form token, valid for one session, one path and at most two hours. */
export function formToken(secret: string, path: string, hour = Math.floor(Date.now() / HOUR_MS)): string {
  return createHmac('sha256', secret).update(`${hour} ${path}`).digest('base64url');
}

export function isFormToken(secret: string, path: string, sentToken: string): boolean {
  const hour = Math.floor(Date.now() / HOUR_MS);
  return [hour, hour - 1].some((each) => isSame(formToken(secret, path, each), sentToken));
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
