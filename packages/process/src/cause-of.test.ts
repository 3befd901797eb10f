import { expect, it } from 'vitest';
import { causeOf, codeOf } from './cause-of.ts';

const coded = (message: string, code: string | number): Error => Object.assign(new Error(message), { code });

it('names each cause once, with its code', () => {
  const cause = coded('password authentication failed for user "survey"', '28P01');
  const error = new Error('no database connection', { cause });
  expect(causeOf(error)).toBe('no database connection: password authentication failed for user "survey" (28P01)');
  expect(codeOf(error)).toBe('28P01');
});

it('does not repeat a code that the message has, and takes one of several addresses', () => {
  const refused = (address: string): Error => coded(`connect ECONNREFUSED ${address}`, 'ECONNREFUSED');
  const error = Object.assign(new AggregateError([refused('::1:5432'), refused('127.0.0.1:5432')]), { code: 'ECONNREFUSED' });
  expect(causeOf(error)).toBe('connect ECONNREFUSED ::1:5432');
});

it.each([
  ['connect to nats://ops:canary@host:4222 failed', 'connect to nats://host:4222 failed'],
  ['nats://ops:c@nary@one:4222,nats://two:4222', 'nats://one:4222,nats://two:4222'],
  ["ERR unknown command 'auth', with args beginning with: 'canary'", "ERR unknown command 'auth'"],
])('leaves credentials out of %j', (message, expected) => {
  expect(causeOf(new Error(message))).toBe(expected);
});

it('ends for errors that cause each other', () => {
  const error = new Error('first');
  error.cause = new Error('second', { cause: error });
  expect(causeOf(error)).toBe('first: second');
  expect(causeOf(undefined)).toBe('no reason given');
});
