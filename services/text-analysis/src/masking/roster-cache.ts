import { onAccountClosed } from '@survey/bus/account-deletion.ts';
import { subscribe } from '@survey/bus/broadcast.ts';
import type { BusConnection } from '@survey/bus/connection.ts';
import { inAccountSnapshot, type Pool } from '@survey/postgres/database.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { ImportEvent, SettingsChanged } from '@survey/proto/events/v1/events.ts';
import { LRUCache } from 'lru-cache';
import { loadRoster } from './roster.ts';
import type { Roster } from '@survey/text/masking/roster.ts';

/** Returns the cached roster of an account. */
export type GetRoster = (accountId: number) => Promise<Roster>;

// Maximum age of a roster: changes made in the application publish no event.
const AGE_MS = 60_000;
// A name takes about 30 bytes.
const MAX_NAMES = 3_000_000;

/** Loads rosters on demand, and again after an import or a change of settings. */
export function createRosterCache(pool: Pool, bus: BusConnection, context: ServiceContext): GetRoster {
  const rosters = new LRUCache<number, Roster>({
    max: 1_000,
    maxSize: MAX_NAMES,
    sizeCalculation: ({ size }) => size + 1,
    ttl: AGE_MS,
    fetchMethod: (accountId) => inAccountSnapshot(pool, accountId, (tx) => loadRoster(tx, accountId)),
  });
  const applied = subscribe(bus, 'events.import.applied', (payload) => {
    rosters.delete(ImportEvent.decode(payload).account_id);
  });
  const changed = subscribe(bus, 'events.settings.changed', (payload) => {
    rosters.delete(SettingsChanged.decode(payload).account_id);
  });
  for (const subscription of [applied, changed]) context.resources.use(subscription);
  onAccountClosed(bus, context, (accountId) => rosters.delete(accountId));
  return (accountId) => rosters.forceFetch(accountId);
}
