import { listen } from '@survey/bus/broadcast.ts';
import type { BusConnection } from '@survey/bus/connection.ts';
import { readAccount, type Pool } from '@survey/postgres/database.ts';
import type { ServiceTools } from '@survey/process/service.ts';
import { ImportEvent } from '@survey/rpc/gen/survey/events/v1/events.ts';
import { LRUCache } from 'lru-cache';
import { loadRoster } from '../sql/roster.ts';
import type { Roster } from '@survey/pii-masking/roster.ts';

/** The rosters of the accounts whose answers are being masked. */
export type FindRoster = (accountId: number) => Promise<Roster>;

// What the application changes is told by nobody: a roster is never older than this.
const AGE_MS = 60_000;
// A name takes some 30 bytes.
const MOST_NAMES = 3_000_000;

/** Loads rosters when they are needed, and anew when an import was applied. */
export function rememberRosters(pool: Pool, bus: BusConnection, { resources }: ServiceTools): FindRoster {
  const rosters = new LRUCache<number, Roster>({
    max: 1_000,
    maxSize: MOST_NAMES,
    sizeCalculation: ({ size }) => size + 1,
    ttl: AGE_MS,
    fetchMethod: (accountId) => readAccount(pool, accountId, (tx) => loadRoster(tx, accountId)),
  });
  const applied = listen(bus, 'events.import.applied', (payload) => {
    rosters.delete(ImportEvent.decode(payload).account_id);
  });
  resources.defer(() => applied[Symbol.dispose]());
  return (accountId) => rosters.forceFetch(accountId);
}
