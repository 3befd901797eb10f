import { subscribe } from '@survey/bus/broadcast.ts';
import type { BusConnection } from '@survey/bus/connection.ts';
import type { Log } from '@survey/process/log.ts';
import { KeyRevoked } from '@survey/proto/events/v1/events.ts';
import type { ApiKeys } from './api-keys.ts';

/**
 * Rejects keys as soon as account-admin publishes their revocation. A gateway whose bus is
 * unavailable rejects them when it next looks them up (api-keys.ts).
 */
export function listenForRevocations(bus: BusConnection, keys: ApiKeys, log: Log): void {
  subscribe(bus, 'events.key.revoked', (payload) => {
    try {
      keys.revoke(KeyRevoked.decode(payload).key_hash);
    } catch (error) {
      log.error({ err: error }, 'revocation message rejected');
    }
  });
}
