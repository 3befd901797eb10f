import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenOn } from '@survey/process/listen.ts';

/** An OpenID Connect provider whose next ID token the test decides. */
interface ForgingProvider extends AsyncDisposable {
  readonly issuer: string;
  /** Sets the ID token of the next code exchange. */
  setToken(idToken: string): void;
  /** Returns how the last code exchange named its client. */
  credentials(): { readonly header: string | undefined; readonly form: URLSearchParams };
  /** Returns how often a path was requested. */
  requests(path: string): number;
  /** Signs a token with the provider's key unless another is given. */
  sign(claims: object, options?: SigningOptions): string;
}

export interface SigningOptions {
  readonly key?: KeyObject;
  // Default: RS256.
  readonly algorithm?: string;
}

const KEY_ID = 'test';
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
export const createSigningKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 });

export async function startForgingProvider(metadata: object = {}): Promise<ForgingProvider> {
  const { privateKey, publicKey } = createSigningKey();
  let idToken = '';
  let issuer = '';
  const requests = new Map<string, number>();
  const documents: Readonly<Record<string, () => object>> = {
    '/.well-known/openid-configuration': () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      ...metadata,
    }),
    '/jwks': () => ({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: KEY_ID, alg: 'RS256', use: 'sig' }] }),
    '/token': () => ({ access_token: 'a', token_type: 'bearer', id_token: idToken }),
  };
  let credentials: ReturnType<ForgingProvider['credentials']> = { header: undefined, form: new URLSearchParams() };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '';
    requests.set(path, (requests.get(path) ?? 0) + 1);
    const form = new URLSearchParams(await text(request));
    if (path === '/token') credentials = { header: request.headers.authorization, form };
    const body = documents[path]?.();
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}));
  };
  const server = createServer((request, response) => void answer(request, response));
  issuer = `http://${await listenOn(server, '127.0.0.1:0')}`;
  return {
    issuer,
    credentials: () => credentials,
    requests: (path) => requests.get(path) ?? 0,
    setToken: (token) => {
      idToken = token;
    },
    sign: (claims, { key = privateKey, algorithm = 'RS256' } = {}) => {
      const body = `${encode({ alg: algorithm, kid: KEY_ID })}.${encode(claims)}`;
      const signature = algorithm === 'none' ? '' : sign('sha256', Buffer.from(body), key).toString('base64url');
      return `${body}.${signature}`;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
