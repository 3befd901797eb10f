import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** What a key may read: all of the account, or a part (rules AUTH-SCOPE-2 to AUTH-SCOPE-4). */
export const READ_SCOPES = ['read', 'read:scores', 'read:texts', 'read:employees'] as const;

export const API_KEY_SCOPES = [...READ_SCOPES, 'employees:write'] as const;

export type ApiKeyScope = (typeof API_KEY_SCOPES)[number];

// eng_live_r_<43 base62 characters of 256 random bits>_<6 base62 characters of the CRC32 of all
// before it>. w is employees:write, r every scope that only reads. The checksum rejects typing
// errors and false positives of secret scanners without a look-up.
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_BYTES = 32;
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const FORMAT = /^(eng_live_[rw]_[0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/;
const VISIBLE_LENGTH = 'eng_live_r_'.length + 4;

/** Returns a new key, which is shown once and never stored, and the hash that is stored. */
export function createApiKey(scope: ApiKeyScope): { key: string; hash: Buffer } {
  const secret = base62(randomBytes(SECRET_BYTES));
  const body = `eng_live_${scope === 'employees:write' ? 'w' : 'r'}_${secret}`;
  const key = `${body}_${checksum(body)}`;
  return { key, hash: hashOf(key) };
}

/**
 * Returns the hash (SHA-256, 32 bytes) by which a key is looked up; undefined if the text cannot be
 * one of our keys.
 */
export function parseApiKey(text: string): { hash: Buffer } | undefined {
  const [, body, check] = FORMAT.exec(text) ?? [];
  return body === undefined || checksum(body) !== check ? undefined : { hash: hashOf(text) };
}

/**
 * Returns the part of a key that may be stored and shown to recognise it: its kind and its first
 * four random characters.
 */
export function visiblePrefix(key: string): string {
  return key.slice(0, VISIBLE_LENGTH);
}

// Via text: three times as fast in Node 24 as requesting a buffer.
function hashOf(key: string): Buffer {
  return Buffer.from(hash('sha256', key, 'base64url'), 'base64url');
}

// Hot path: runs once per request. Plain numbers, because BigInt would cost more than the SHA-256.
function checksum(body: string): string {
  let digits = '';
  for (let rest = crc32(body); rest > 0; rest = Math.floor(rest / 62)) digits = ALPHABET.charAt(rest % 62) + digits;
  return digits.padStart(CHECKSUM_LENGTH, '0');
}

// Encodes all bytes as one base-62 number, so that every character is equally likely; padded with
// zeros.
function base62(bytes: Buffer): string {
  let digits = '';
  for (let rest = BigInt(`0x${bytes.toString('hex')}`); rest > 0n; rest /= 62n)
    digits = ALPHABET.charAt(Number(rest % 62n)) + digits;
  return digits.padStart(SECRET_LENGTH, '0');
}
