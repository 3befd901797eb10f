import { hash } from 'node:crypto';
import { Fact } from '@survey/proto/intake/v1/intake.ts';
import { expect, test } from 'vitest';
import { asIncoming, decodeFact } from './fact.ts';

const topic = { topic: { name: 'Food', keywords: {} } };
const content = Fact.encode({ revision: 0, line: 0, ...topic }).finish();
const version = Fact.encode({ revision: 5, line: 7 }).finish();
// Field 16 is 1.
const unknown = Buffer.from([0x80, 0x01, 0x01]);

const digestOf = (...parts: Uint8Array[]): Buffer =>
  decodeFact(Buffer.concat(parts), { source: 'test', sequence: 1, position: 0 }).digest;

test('the digest of a fact is that of its bytes without its revision and its line', () => {
  const digest = hash('sha256', content, 'buffer');
  expect(digestOf(content)).toEqual(digest);
  expect(digestOf(version, content)).toEqual(digest);
  expect(digestOf(content, version)).toEqual(digest);
  expect(asIncoming({ revision: 5, line: 7, ...topic }, 0).digest).toEqual(digest);
});

test('the digest of a fact is the same in a release that does not know all its fields', () => {
  expect(digestOf(content, version, unknown)).toEqual(hash('sha256', Buffer.concat([content, unknown]), 'buffer'));
});
