import type { Request, Response } from 'express';

// With this prefix, browsers reject the cookie from another host, another path, or without TLS
// (except on loopback).
export const SESSION_COOKIE = '__Host-console';
export const SIGN_IN_COOKIE = '__Host-console-sign-in';
export const LANGUAGE_COOKIE = '__Host-console-language';
// Written by console.js, which alone knows the zone of the browser.
export const ZONE_COOKIE = '__Host-console-zone';

/** Returns the value of a cookie, or undefined when it is absent or sent twice. */
export function readCookie(request: Request, name: string): string | undefined {
  const values = (request.headers.cookie ?? '').split(/; */).flatMap((pair) => {
    const at = pair.indexOf('=');
    return pair.slice(0, at) === name ? [pair.slice(at + 1)] : [];
  });
  return values.length === 1 ? values[0] : undefined;
}

export function setCookie(response: Response, name: string, value: string, maxAgeSeconds?: number): void {
  const age = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`;
  response.append('Set-Cookie', `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax${age}`);
}

export function clearCookie(response: Response, name: string): void {
  setCookie(response, name, '', 0);
}
