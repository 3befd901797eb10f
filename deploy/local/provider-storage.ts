import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { AdapterFactory, AdapterPayload, JWKS } from 'oidc-provider';

/** Returns a new signing key for ID tokens; it lives as long as the process. */
export async function createSigningKeys(): Promise<JWKS> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2_048 });
  return { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] };
}

/** Returns storage in this process: a restart ends the sign-ins that have not finished. */
export function createStorage(): AdapterFactory {
  const payloads = new Map<string, AdapterPayload>();
  return (model) => {
    const key = (id: string): string => `${model}:${id}`;
    return {
      upsert: async (id, payload) => void payloads.set(key(id), payload),
      find: async (id) => payloads.get(key(id)),
      findByUid: async (uid) => [...payloads].find(([name, payload]) => name.startsWith(key('')) && payload.uid === uid)?.[1],
      findByUserCode: async () => undefined,
      consume: async (id) => {
        const payload = payloads.get(key(id));
        if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1_000);
      },
      destroy: async (id) => void payloads.delete(key(id)),
      revokeByGrantId: async (grantId) => {
        for (const [name, payload] of payloads) if (payload.grantId === grantId) payloads.delete(name);
      },
    };
  };
}
