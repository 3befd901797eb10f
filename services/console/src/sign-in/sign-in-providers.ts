import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import * as client from 'openid-client';
import type { ServiceContext } from '@survey/process/service.ts';
import type { Issuer, Settings } from '../config.ts';
import { PageError } from '../http/page-error.ts';

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
   * key that is not among them. Undefined if its metadata has none.
   */
  keys(issuer: Issuer): Promise<JWTVerifyGetKey | undefined>;
}

interface Provider {
  readonly configuration: client.Configuration;
  readonly keys: JWTVerifyGetKey | undefined;
  readonly at: number;
}

export function openIssuers(
  { CONSOLE_ISSUERS: all, NODE_ENV }: Pick<Settings, 'CONSOLE_ISSUERS' | 'NODE_ENV'>,
  { log }: Pick<ServiceContext, 'log'>,
): Issuers {
  const cached = new Map<string, Provider>();
  // Requests that arrive during a discovery share it.
  const discoveries = new Map<string, Promise<Provider>>();
  const renew = async (issuer: Issuer): Promise<Provider> => {
    const configuration = await discoverNow(issuer, NODE_ENV !== 'production' && isLoopback(issuer.issuer));
    const { jwks_uri } = configuration.serverMetadata();
    const keys = jwks_uri === undefined ? undefined : createRemoteJWKSet(new URL(jwks_uri), { [customFetch]: fetchBounded });
    const provider = { configuration, keys, at: Date.now() };
    cached.set(issuer.id, provider);
    return provider;
  };
  const providerOf = async (issuer: Issuer): Promise<Provider> => {
    const last = cached.get(issuer.id);
    if (last !== undefined && Date.now() - last.at < REFRESH_MS) return last;
    const discovery = discoveries.get(issuer.id) ?? renew(issuer).finally(() => discoveries.delete(issuer.id));
    discoveries.set(issuer.id, discovery);
    try {
      return await discovery;
    } catch (error) {
      log.warn({ err: error, issuer: issuer.id }, 'issuer discovery failed');
      if (last !== undefined) return last;
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

function discoverNow({ issuer, client_id, client_secret }: Issuer, allowHttp: boolean): Promise<client.Configuration> {
  const authentication = client_secret === undefined ? client.None() : client.ClientSecretBasic(client_secret);
  const metadata = { ...(client_secret !== undefined && { client_secret }), [client.clockTolerance]: CLOCK_TOLERANCE_S };
  return client.discovery(new URL(issuer), client_id, metadata, authentication, {
    timeout: DISCOVERY_TIMEOUT_S,
    [client.customFetch]: fetchBounded,
    // Verifies the signature of ID tokens, although they come directly from the provider.
    execute: [client.enableNonRepudiationChecks, ...(allowHttp ? [client.allowInsecureRequests] : [])],
  });
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

// The development provider has no certificate; its traffic stays on this machine.
function isLoopback(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && (hostname === '127.0.0.1' || hostname === '[::1]');
}
