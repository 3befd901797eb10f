import * as client from 'openid-client';
import type { ServiceContext } from '@survey/process/service.ts';
import type { Issuer, Settings } from '../config.ts';
import { PageError } from '../http/page-error.ts';

const DISCOVERY_TIMEOUT_S = 5;
const REFRESH_MS = 24 * 3_600_000;

/** The configured sign-in providers. */
export interface Issuers {
  readonly all: readonly Issuer[];
  find(id: string): Issuer | undefined;
  /**
   * Returns the provider's metadata, at most one day old. Throws PageError 503 while it is
   * unavailable.
   */
  discover(issuer: Issuer): Promise<client.Configuration>;
}

export function openIssuers(
  { CONSOLE_ISSUERS: all, NODE_ENV }: Pick<Settings, 'CONSOLE_ISSUERS' | 'NODE_ENV'>,
  { log }: Pick<ServiceContext, 'log'>,
): Issuers {
  const known = new Map<string, { configuration: client.Configuration; at: number }>();
  const discover = async (issuer: Issuer): Promise<client.Configuration> => {
    const cached = known.get(issuer.id);
    if (cached !== undefined && Date.now() - cached.at < REFRESH_MS) return cached.configuration;
    try {
      const configuration = await discoverNow(issuer, NODE_ENV !== 'production' && isLoopback(issuer.issuer));
      known.set(issuer.id, { configuration, at: Date.now() });
      return configuration;
    } catch (error) {
      log.warn({ err: error, issuer: issuer.id }, 'issuer discovery failed');
      if (cached !== undefined) return cached.configuration;
      throw new PageError(503, 'providerUnavailable', 10);
    }
  };
  return { all, find: (id) => all.find((issuer) => issuer.id === id), discover };
}

function discoverNow({ issuer, client_id, client_secret }: Issuer, allowHttp: boolean): Promise<client.Configuration> {
  const authentication = client_secret === undefined ? client.None() : client.ClientSecretBasic(client_secret);
  return client.discovery(new URL(issuer), client_id, client_secret, authentication, {
    timeout: DISCOVERY_TIMEOUT_S,
    // Verifies the signature of ID tokens, although they come directly from the provider.
    execute: [client.enableNonRepudiationChecks, ...(allowHttp ? [client.allowInsecureRequests] : [])],
  });
}

// The development provider has no certificate; its traffic stays on this machine.
function isLoopback(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && (hostname === '127.0.0.1' || hostname === '[::1]');
}
