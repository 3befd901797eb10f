import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createApiKey, parseApiKey, visiblePrefix } from './api-key.ts';

describe('createApiKey', () => {
  it('returns keys of the documented form that parse to their own hash', () => {
    for (let n = 0; n < 1_000; n++) {
      const { key, hash } = createApiKey('read');
      expect(key).toMatch(/^eng_live_r_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
      expect(parseApiKey(key)?.hash.equals(hash)).toBe(true);
    }
  });

  it('encodes the scope in the kind', () => {
    expect(createApiKey('employees:write').key).toMatch(/^eng_live_w_/);
  });

  it('hashes the whole key with SHA-256', () => {
    const { key, hash } = createApiKey('read');
    expect(hash).toEqual(createHash('sha256').update(key).digest());
  });

  it('never returns the same key twice', () => {
    expect(new Set(Array.from({ length: 1_000 }, () => createApiKey('read').key)).size).toBe(1_000);
  });
});

describe('parseApiKey', () => {
  const { key } = createApiKey('read');

  it('rejects every change of a single character', () => {
    for (let at = 0; at < key.length; at++) {
      const changed = key.slice(0, at) + (key[at] === 'A' ? 'B' : 'A') + key.slice(at + 1);
      expect(parseApiKey(changed), `position ${at}`).toBeUndefined();
    }
  });

  it.each([
    ['nothing', ''],
    ['spaces', '   '],
    ['a space before', ` ${key}`],
    ['a line end after', `${key}\n`],
    ['the header sent twice', `${key}, ${key}`],
    ['one character less', key.slice(0, -1)],
    ['one character more', `${key}0`],
    ['the other kind', key.replace('_r_', '_w_')],
    ['an unknown kind', key.replace('_r_', '_x_')],
    ['upper case', key.toUpperCase()],
    ['a full-width digit', `${key.slice(0, -1)}１`],
    ['something very long', key.repeat(10_000)],
  ])('rejects %s', (_name, text) => {
    expect(parseApiKey(text)).toBeUndefined();
  });
});

it('returns the kind and four characters', () => {
  const { key } = createApiKey('employees:write');
  expect(visiblePrefix(key)).toBe(key.slice(0, 15));
  expect(visiblePrefix(key)).toMatch(/^eng_live_w_[0-9A-Za-z]{4}$/);
});
