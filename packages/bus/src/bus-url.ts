import type { NodeConnectionOptions } from '@nats-io/transport-node';

type FromUrl = Pick<NodeConnectionOptions, 'servers' | 'user' | 'pass' | 'tls' | 'inboxPrefix'>;

/**
 * What the client must know that stands in a NATS URL: one or several of
 * `nats://user:password@host:port`, separated by commas; the first names user and password for all.
 * `tls://` refuses a server without TLS. Who logs in has its answers sent to an inbox of its own,
 * `_INBOX.<user>`, so that the server can keep others from listening. Throws for what is not such a
 * URL, without repeating it.
 */
export function readBusUrl(url: string): FromUrl {
  const [first, ...others] = url.split(',').map(parse);
  if (first === undefined) throw notAUrl();
  return {
    servers: [first, ...others].map(({ host }) => host),
    ...(first.protocol === 'tls:' && { tls: {} }),
    ...(first.username !== '' && loginOf(first)),
  };
}

function parse(text: string): URL {
  const url = URL.parse(text.trim());
  if (url === null || !['nats:', 'tls:'].includes(url.protocol) || url.hostname === '') throw notAUrl();
  return url;
}

function loginOf({ username, password }: URL): FromUrl {
  const user = decoded(username);
  return { user, pass: decoded(password), inboxPrefix: `_INBOX.${user}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw notAUrl();
  }
}

function notAUrl(): Error {
  return new Error(
    'the address of the bus (NATS_URL) must be nats://host:port or tls://host:port, with user:password@ where it asks for them',
  );
}
