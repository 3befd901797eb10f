import { expect, test } from 'vitest';
import { readBusUrl } from './bus-url.ts';

test('accepts a plain address', () => {
  expect(readBusUrl('nats://127.0.0.1:4222')).toEqual({ servers: ['127.0.0.1:4222'] });
});

test('accepts user and password, including reserved characters', () => {
  expect(readBusUrl('nats://gate%40way:a%2Fb@bus.example.org:4222')).toEqual({
    servers: ['bus.example.org:4222'],
    user: 'gate@way',
    pass: 'a/b',
    inboxPrefix: '_INBOX.gate@way',
  });
});

test('accepts several servers with TLS', () => {
  const { servers, tls, user } = readBusUrl('tls://export:p@one:4222, tls://two:4222');
  expect({ servers, tls, user }).toEqual({ servers: ['one:4222', 'two:4222'], tls: {}, user: 'export' });
});

test.each(['127.0.0.1:4222', 'http://secret-host', '', 'nats://', 'nats://a:%zz@bus'])(
  'rejects %j and does not repeat it',
  (url) => {
    expect(() => readBusUrl(url)).toThrow(/^the address of the bus \(NATS_URL\) must be/);
  },
);
