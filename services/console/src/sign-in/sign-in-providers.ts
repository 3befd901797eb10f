import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import * as client from 'openid-client';
import { z } from 'zod';
import type { ServiceContext } from '@survey/process/service.ts';
import type { Issuer, Settings } from '../config.ts';
import { PageError } from '../page-error.ts';

const DISCOVERY_TIMEOUT_S = 5;
/** How far the clocks of a provider and of the console may differ. */
export const CLOCK_TOLERANCE_S = 300;
const REFRESH_MS = 24 * 3_600_000;
// Metadata, keys and tokens have some KB.
const MAX_ANSWER_BYTES = 2 ** 20;

/** The configured sign-in providers. */
export interface Issuers {
  readonly all: readonly Issuer[];
  find(id: string): Issuer | undefined;
  /**
   * Returns the provider's metadata, at most one day old. Throws PageError 503 while it is
   * unavailable.
   */
  discover(issuer: Issuer): Promise<client.Configuration>;
  /**
   * Returns the provider's signing keys, which are downloaded once and again when a token names a
   * key that is not among them.
   */
  keys(issuer: Issuer): Promise<JWTVerifyGetKey>;
}

interface Provider {
  readonly configuration: client.Configuration;
  readonly keys: JWTVerifyGetKey;
  readonly at: number;
}

export function openIssuers(
  { CONSOLE_ISSUERS: all, NODE_ENV }: Pick<Settings, 'CONSOLE_ISSUERS' | 'NODE_ENV'>,
  { log }: Pick<ServiceContext, 'log'>,
): Issuers {
  const cachedProviders = new Map<string, Provider>();
  // Requests that arrive during a discovery share it.
  const discoveries = new Map<string, Promise<Provider>>();
  const renew = async (issuer: Issuer): Promise<Provider> => {
    const allowHttp = NODE_ENV !== 'production' && isLoopback(issuer.issuer);
    const configuration = await discoverNow(issuer, allowHttp);
    const { jwks_uri } = metadataSchema(allowHttp).parse(configuration.serverMetadata());
    const keys = createRemoteJWKSet(new URL(jwks_uri), { [customFetch]: fetchBounded });
    const provider = { configuration, keys, at: performance.now() };
    cachedProviders.set(issuer.id, provider);
    return provider;
  };
  const providerOf = async (issuer: Issuer): Promise<Provider> => {
    const cachedProvider = cachedProviders.get(issuer.id);
    if (cachedProvider !== undefined && performance.now() - cachedProvider.at < REFRESH_MS) return cachedProvider;
    const discovery = discoveries.get(issuer.id) ?? renew(issuer).finally(() => discoveries.delete(issuer.id));
    discoveries.set(issuer.id, discovery);
    try {
      return await discovery;
    } catch (error) {
      log.warn({ err: error, issuer: issuer.id }, 'issuer discovery failed');
      if (cachedProvider !== undefined) return cachedProvider;
      throw new PageError(503, 'providerUnavailable', 10);
    }
  };
  return {
    all,
    find: (id) => all.find((issuer) => issuer.id === id),
    discover: async (issuer) => (await providerOf(issuer)).configuration,
    keys: async (issuer) => (await providerOf(issuer)).keys,
  };
}

// Browsers are sent to some of these addresses, and secrets to others.
function metadataSchema(allowHttp: boolean) {
  const isSafe = (url: string): boolean => URL.parse(url)?.protocol === 'https:' || (allowHttp && isLoopback(url));
  const endpoint = z.string().refine(isSafe, 'must be an https URL');
  return z.looseObject({
    authorization_endpoint: endpoint,
    token_endpoint: endpoint,
    jwks_uri: endpoint,
    userinfo_endpoint: endpoint.optional(),
    end_session_endpoint: endpoint.optional(),
    pushed_authorization_request_endpoint: endpoint.optional(),
  });
}

function discoverNow({ issuer, client_id, client_secret }: Issuer, allowHttp: boolean): Promise<client.Configuration> {
  const authentication = client_secret === undefined ? client.None() : withSecret(client_secret);
  const metadata = { ...(client_secret !== undefined && { client_secret }), [client.clockTolerance]: CLOCK_TOLERANCE_S };
  return client.discovery(new URL(issuer), client_id, metadata, authentication, {
    timeout: DISCOVERY_TIMEOUT_S,
    [client.customFetch]: fetchBounded,
    // Verifies the signature of ID tokens, although they come directly from the provider.
    execute: [client.enableNonRepudiationChecks, ...(allowHttp ? [client.allowInsecureRequests] : [])],
  });
}

// In the way that the provider's metadata names; without one, OpenID Connect means the first.
function withSecret(secret: string): client.ClientAuth {
  return (server, ...call) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
    const create = methods.includes('client_secret_basic') ? client.ClientSecretBasic : client.ClientSecretPost;
    return create(secret)(server, ...call);
  };
}

/** Returns what went wrong at a provider, as a code without personal data. */
export function providerError(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  // The provider's own code, such as access_denied, then the library's code.
  const codes: unknown[] = [Reflect.get(error, 'error'), Reflect.get(error, 'code'), error.name];
  return codes.find((code): code is string => typeof code === 'string' && /^[\w.-]{1,60}$/.test(code)) ?? 'unknown';
}

/** Calls a provider. Reading the body fails above 1 MiB, because it is held in memory. */
export async function fetchBounded(url: string, request: object): Promise<Response> {
  const { body, status, statusText, headers } = await fetch(url, request);
  let bytes = 0;
  const bound = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.byteLength;
      if (bytes > MAX_ANSWER_BYTES) throw new Error(`the provider answers more than ${MAX_ANSWER_BYTES} bytes`);
      controller.enqueue(chunk);
    },
  });
  return new Response(body?.pipeThrough(bound) ?? null, { status, statusText, headers });
}

// The development provider has no certificate; its traffic does not leave this machine.
function isLoopback(url: string): boolean {
  const { protocol, hostname } = URL.parse(url) ?? {};
  return protocol === 'http:' && (hostname === '127.0.0.1' || hostname === '[::1]');
}
