import { credsAuthenticator, type NodeConnectionOptions } from '@nats-io/transport-node';

const CREDENTIALS = /^-+BEGIN NATS USER JWT-/;

type FromUrl = Pick<NodeConnectionOptions, 'servers' | 'user' | 'pass' | 'authenticator' | 'tls' | 'inboxPrefix'>;

/**
 * Reads the client's options from a NATS URL: one or more `nats://user:password@host:port`,
 * separated by commas; the first holds the credentials for all. `tls://` rejects a server without
 * TLS. The password may be the text of a credentials file, for a server with an operator. A user's
 * inbox is `_INBOX.<user>`, so that the server can keep it private.
 * @throws for a malformed URL, without repeating it
 */
export function readBusUrl(url: string): FromUrl {
  const [first, ...others] = url.split(',').map(parse);
  if (first === undefined) throw invalidUrlError();
  return {
    servers: [first, ...others].map(({ host }) => host),
    ...(first.protocol === 'tls:' && { tls: {} }),
    ...(first.username !== '' && loginOf(first)),
  };
}

function parse(text: string): URL {
  const url = URL.parse(text.trim());
  if (url === null || !['nats:', 'tls:'].includes(url.protocol) || url.hostname === '') throw invalidUrlError();
  return url;
}

function loginOf({ username, password }: URL): FromUrl {
  const user = decodeCredential(username);
  const pass = decodeCredential(password);
  const login = CREDENTIALS.test(pass) ? { authenticator: credsAuthenticator(Buffer.from(`${pass}\n`)) } : { user, pass };
  return { ...login, inboxPrefix: `_INBOX.${user}` };
}

function decodeCredential(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidUrlError();
  }
}

function invalidUrlError(): Error {
  return new Error(
    'the address of the bus (NATS_URL) must be nats://host:port or tls://host:port, with user:password@ where it asks for them',
  );
}
